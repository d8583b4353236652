"""Which points of a long line must be drawn, from the pyramids of its pieces: what `reduce` finds among all rows.

A piece is a range of the rows of one file. x never falls, neither in a piece nor from one to the next; the caller sees to that. A
smoothed piece keeps the state of the average at every block, so that any stretch of it can be computed alone.
"""

import threading

from libc.math cimport INFINITY, NAN, isfinite
from libc.stdint cimport INT64_MAX, int64_t
from libc.string cimport memset

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport empty, is_float32, real
from runglass.native.columns cimport STEP, Columns, Guard
from runglass.native.ema cimport Ema, EmaState, ema_from, ema_next, unit_weight
from runglass.native.pyramid cimport BLOCK_BITS, Levels, Pyramid, View, append_block, merge, merge_blocks
from runglass.native.stored cimport VALUE, guard_row, guard_rows
from runglass.native.stretches cimport (
    LINEAR, LOG, SYMLOG, Pixels, Stretch, add, add_range, clear, column_of, is_finite_only, pixels_over, place_on_axis, points_in_order,
)

cnp.import_array()

SCALES = {"linear": LINEAR, "log": LOG, "symlog": SYMLOG}
# Of one pyramid: while somebody moves the slider, each weight is another one.
MAX_SMOOTHED = 2


class RowsDamaged(Exception):
    """Rows of an index file whose checksum is wrong. Reading all of the columns repairs them."""


cdef extern from "prefetch.h" nogil:
    void FETCH(const void* at)


cdef enum:
    WALL_TIME = 1
    # How many pixel columns ahead the rows are fetched where a followed line had its ends.
    AHEAD = 6
    # By so many rows a column may have moved to go on from what it showed.
    MAX_MOVED = 64
    # Rows at the front of a column that it may lose one after the other while the extremes of its other rows are known.
    FRONT = 32
    # Rows of a stretch of an average. Fewer than of a pyramid: a row costs ten times as much, and no file holds them.
    SMOOTH_BITS = 6
    SMOOTH_BLOCK = 1 << SMOOTH_BITS


cdef int smooth_blocks(
    const real[::1] y, double weight, int64_t count, EmaState state, EmaState* starts, Stretch* open, View* view,
    EmaState* end,
) except -1 nogil:
    """Go on from row `count`, where the average is in `state`, to the last row."""
    cdef int64_t i = count, n = y.shape[0]
    cdef Ema ema = ema_from(weight, state)
    while i < n:
        if i & (SMOOTH_BLOCK - 1) == 0:
            starts[i >> SMOOTH_BITS] = ema.state
            if ema.has_settled and i + SMOOTH_BLOCK <= n and smooth_block(y, i, &ema, open):
                append_block(view, open)
                clear(open)
                i += SMOOTH_BLOCK
                continue
        add(open, i, ema_next(&ema, y[i]))
        i += 1
        if i & (SMOOTH_BLOCK - 1) == 0:
            append_block(view, open)
            clear(open)
    end[0] = ema.state
    return 0


cdef bint smooth_block(const real[::1] y, int64_t begin, Ema* ema, Stretch* s) except? -1 nogil:
    """A whole block of finite values after the average has settled, without branches; False if it is not that."""
    cdef double[SMOOTH_BLOCK] smoothed
    cdef double last = ema.state.last, weight = ema.weight, share = 1.0 - ema.weight, low, high
    cdef double[4] lows
    cdef double[4] highs
    cdef int k, lane, odd = 0
    for k in range(SMOOTH_BLOCK):
        odd |= not y[begin + k] - y[begin + k] == 0
    if odd:
        return False
    for k in range(SMOOTH_BLOCK):
        last = last * weight + share * y[begin + k]
        smoothed[k] = last
    # A value near the largest double may have overflowed on the way.
    if last - last != 0.0:
        return False
    for lane in range(4):
        lows[lane] = highs[lane] = smoothed[lane]
    k = 4
    while k < SMOOTH_BLOCK:
        for lane in range(4):
            lows[lane] = smoothed[k + lane] if smoothed[k + lane] < lows[lane] else lows[lane]
            highs[lane] = smoothed[k + lane] if smoothed[k + lane] > highs[lane] else highs[lane]
        k += 4
    low = min(min(lows[0], lows[1]), min(lows[2], lows[3]))
    high = max(max(highs[0], highs[1]), max(highs[2], highs[3]))
    if low - low != 0.0 or high - high != 0.0:
        return False
    s.first = begin
    s.first_value = smoothed[0]
    s.last = begin + SMOOTH_BLOCK - 1
    s.last_value = last
    s.low = low
    s.high = high
    k = 0
    while smoothed[k] != low:
        k += 1
    s.lowest = begin + k
    k = 0
    while smoothed[k] != high:
        k += 1
    s.highest = begin + k
    ema.state.last = last
    ema.state.seen += SMOOTH_BLOCK
    return True


cdef class SmoothedRows:
    """The pyramid of an exponential average over rows that are only ever added, which goes on from the points before them.

    Rows count from 0 where the average begins. Every value is the one that `smooth.ema` gives for a series that is not constant.
    """

    cdef readonly double weight
    cdef readonly int64_t count
    cdef EmaState first
    cdef EmaState state
    cdef Levels levels
    cdef Stretch open
    # An EmaState for every block: at its first row.
    cdef object starts
    cdef object lock

    def __cinit__(self, double weight, double last=0.0, int64_t seen=0):
        """`last` and `seen`: the state after the points before the first row."""
        self.weight = unit_weight(weight)
        self.first.last = last
        self.first.seen = seen
        self.state = self.first
        self.levels = Levels()
        self.starts = np.empty(0, np.uint8)
        self.lock = threading.Lock()
        clear(&self.open)

    @property
    def nbytes(self):
        return self.starts.nbytes + sum(array.nbytes for array in self.levels.arrays)

    def update(self, value):
        """Smooth the rows behind `count`. Any thread may call it."""
        if value.shape[0] <= self.count:
            return
        with self.lock:
            if is_float32(value):
                smooth_new[float](self, value)
            else:
                smooth_new[double](self, value)

    def state_at(self, value, int64_t row):
        """(last, seen) before a row, from which the average of other rows can go on."""
        return state_of[float](self, value, row) if is_float32(value) else state_of[double](self, value, row)

    def read(self, value, int64_t begin, int64_t end):
        """The smoothed values of rows begin to end, as float64. `update` has seen these values."""
        if not 0 <= begin <= end <= min(<int64_t>value.shape[0], self.count):
            raise IndexError(f"Rows {begin} to {end} are outside {self.count} smoothed ones.")
        return values_of[float](self, value, begin, end) if is_float32(value) else values_of[double](self, value, begin, end)


cdef smooth_new(SmoothedRows rows, const real[::1] y):
    cdef int64_t n = y.shape[0], blocks = ((n - 1) >> SMOOTH_BITS) + 1
    cdef EmaState* starts
    cdef EmaState state
    cdef Stretch open = rows.open
    cdef View view
    if n <= rows.count:
        return
    if rows.starts.shape[0] < blocks * <int64_t>sizeof(EmaState):
        grown = np.empty((blocks + (blocks >> 2)) * sizeof(EmaState), np.uint8)
        grown[: rows.starts.shape[0]] = rows.starts
        rows.starts = grown
    starts = <EmaState*>cnp.PyArray_DATA(<cnp.ndarray>rows.starts)
    view = rows.levels.reserve(n >> SMOOTH_BITS)
    with nogil:
        smooth_blocks(y, rows.weight, rows.count, rows.state, starts, &open, &view, &state)
    rows.open = open
    rows.state = state
    rows.levels.blocks = view.blocks
    rows.count = n


cdef object state_of(SmoothedRows rows, const real[::1] y, int64_t row):
    cdef int64_t i
    cdef Ema ema
    if row == 0:
        return rows.first.last, rows.first.seen
    held = rows.starts
    ema = ema_from(rows.weight, (<EmaState*>cnp.PyArray_DATA(<cnp.ndarray>held))[(row - 1) >> SMOOTH_BITS])
    for i in range((row - 1) >> SMOOTH_BITS << SMOOTH_BITS, row):
        ema_next(&ema, y[i])
    return ema.state.last, ema.state.seen


cdef object values_of(SmoothedRows rows, const real[::1] y, int64_t begin, int64_t end):
    cdef int64_t i
    cdef double value
    cdef Ema ema
    smoothed = empty(end - begin, cnp.NPY_FLOAT64)
    cdef double[::1] out = smoothed
    if begin == end:
        return smoothed
    held = rows.starts
    ema = ema_from(rows.weight, (<EmaState*>cnp.PyArray_DATA(<cnp.ndarray>held))[begin >> SMOOTH_BITS])
    with nogil:
        for i in range(begin >> SMOOTH_BITS << SMOOTH_BITS, end):
            value = ema_next(&ema, y[i])
            if i >= begin:
                out[i - begin] = value
    return smoothed


cdef struct Rows:
    # x is either of these; `origin` is subtracted.
    const int64_t* steps
    const double* times
    double origin
    int scale
    # The rows of the piece. Blocks count from row `base`.
    int64_t begin
    int64_t end
    int64_t base
    # Of the number of rows in a block.
    int bits
    # Added to the rows of a stretch, it counts them over all pieces.
    int64_t shift
    View view
    # Of a smoothed piece: the states at its blocks, and the one where reading stopped.
    const EmaState* starts
    double weight
    Ema ema
    int64_t smoothed_to
    # After so many points, and from this row on, the average has settled, as far as is known.
    int64_t settled_seen
    int64_t settled_row
    # Of x and of the values, if they are rows of an index file.
    Guard x_guard
    Guard y_guard


cdef struct Drawing:
    Pixels pixels
    # The pixel column that rows are added to, and its rows, counted over all pieces.
    Py_ssize_t column
    Stretch s
    int64_t kept
    # How many rows the last column had: the next one will be about as long.
    int64_t reach


cdef struct Drawn:
    # The rows of a pixel column, -1 for none, and its points, counted from `base`.
    int64_t begin
    int64_t end
    Stretch s
    # The extremes of the finite rows from this one on, where a line that rises or falls has others than at the front.
    int64_t inner
    int64_t lowest
    int64_t highest
    double low
    double high


cdef class DrawnColumns:
    """What the pixel columns of a line showed, so that the line can go on from there when rows were added to it."""

    cdef readonly object columns
    cdef readonly double weight
    cdef readonly int64_t base
    cdef readonly double origin

    def __cinit__(self, Piece piece, Py_ssize_t width):
        self.columns = np.empty(width * sizeof(Drawn), np.uint8)
        cdef Drawn* drawn = self.pointer()
        cdef Py_ssize_t column
        for column in range(width):
            drawn[column].begin = -1
        self.weight = -1.0 if piece.smoothed is None else piece.smoothed.weight
        self.base = piece.base
        self.origin = piece.origin

    @property
    def nbytes(self):
        return self.columns.nbytes

    cdef Drawn* pointer(self):
        return <Drawn*>cnp.PyArray_DATA(<cnp.ndarray>self.columns)

    cdef bint goes_on(self, DrawnColumns later):
        """Whether the other one is of the same axis and the same average."""
        return (
            self.weight == later.weight and self.base == later.base and self.origin == later.origin
            and self.columns.shape[0] == later.columns.shape[0]
        )


cdef inline bint is_damaged(const Rows* r) noexcept nogil:
    return r.x_guard.is_damaged or r.y_guard.is_damaged


cdef inline double place(Rows* r, int64_t row) noexcept nogil:
    guard_row(&r.x_guard, row)
    cdef double x = <double>r.steps[row] if r.steps != NULL else r.times[row]
    return place_on_axis(x - r.origin, r.scale)


cdef int64_t first_from(Rows* r, double bound, bint is_above) noexcept nogil:
    """The first row whose place is at least `bound`, or above it."""
    cdef int64_t lo = r.begin, hi = r.end, mid
    cdef double at
    while lo < hi:
        mid = lo + (hi - lo) // 2
        at = place(r, mid)
        if at < bound or (is_above and at == bound):
            lo = mid + 1
        else:
            hi = mid
    return lo


cdef int64_t column_end(const Pixels* p, Rows* r, int64_t begin, int64_t stop, int64_t guess) noexcept nogil:
    """Where the pixel column of row `begin` ends: in doubling steps away from `guess` rows on, then by halving."""
    cdef Py_ssize_t column = column_of(p, place(r, begin))
    cdef int64_t inside = begin, outside = stop, mid, reach = 1
    mid = min(begin + guess, stop - 1)
    if mid > begin and column_of(p, place(r, mid)) == column:
        inside = mid
        while inside + reach < stop:
            if column_of(p, place(r, inside + reach)) != column:
                outside = inside + reach
                break
            inside += reach
            reach *= 2
    elif mid > begin:
        outside = mid
        while outside - reach > begin:
            if column_of(p, place(r, outside - reach)) == column:
                inside = outside - reach
                break
            outside -= reach
            reach *= 2
    while outside - inside > 1:
        mid = inside + (outside - inside) // 2
        if column_of(p, place(r, mid)) == column:
            inside = mid
        else:
            outside = mid
    return outside


cdef int64_t skip_settled(const real[::1] y, int64_t begin, int64_t end, Ema* ema) noexcept nogil:
    """Let an average that has settled go on over rows; returns the end. The operations are those of `ema_next`."""
    cdef int64_t i
    cdef double last = ema.state.last, weight = ema.weight, share = 1.0 - ema.weight
    for i in range(begin, end):
        if y[i] - y[i] == 0:
            last = last * weight + share * y[i]
            ema.state.seen += 1
    ema.state.last = last
    return end


cdef int add_settled(const real[::1] y, int64_t begin, int64_t end, int64_t base, Ema* ema, Stretch* s) except -1 nogil:
    """Add rows of an average that has settled. Every row waits for the one before it, and meanwhile there is time to compare."""
    cdef double first = ema.state.last * ema.weight + (1.0 - ema.weight) * y[begin]
    cdef double last = first, weight = ema.weight, share = 1.0 - ema.weight, low = first, high = first
    cdef int64_t i, lowest = begin, highest = begin
    for i in range(begin + 1, end):
        last = last * weight + share * y[i]
        lowest = i if last < low else lowest
        low = last if last < low else low
        highest = i if last > high else highest
        high = last if last > high else high
    # After a value that is not finite no average is, and after one that has overflowed.
    if last - last != 0.0:
        for i in range(begin, end):
            add(s, i - base, ema_next(ema, y[i]))
        return 0
    ema.state.last = last
    ema.state.seen += end - begin
    if s.first < 0:
        s.first = begin - base
        s.first_value = first
    if s.first == begin - base or low < s.low:
        s.lowest = lowest - base
        s.low = low
    if s.first == begin - base or high > s.high:
        s.highest = highest - base
        s.high = high
    s.last = end - 1 - base
    s.last_value = last
    return 0


cdef int add_some(Rows* r, const real[::1] y, int64_t begin, int64_t end, Stretch* s) except -1 nogil:
    """Add rows one by one. Smoothed ones are computed from the block's start, or from where the last call stopped."""
    cdef int64_t i, block
    cdef double value
    if begin >= end:
        return 0
    if r.starts == NULL:
        guard_rows(&r.y_guard, begin, end)
        return add_range(s, y, begin, end)
    # A piece without smoothing has base 0.
    i = begin
    if r.smoothed_to != begin:
        block = (begin - r.base) >> r.bits
        if r.starts[block].seen >= r.settled_seen:
            r.ema.state = r.starts[block]
            r.ema.has_settled = True
        else:
            r.ema = ema_from(r.weight, r.starts[block])
            if r.ema.has_settled:
                r.settled_seen = r.ema.state.seen
        i = r.base + (block << r.bits)
        if r.ema.has_settled:
            i = skip_settled(y, i, begin, &r.ema)
    while i < end:
        if r.ema.has_settled and i >= begin:
            add_settled(y, i, end, r.base, &r.ema, s)
            break
        value = ema_next(&r.ema, y[i])
        if i >= begin:
            add(s, i - r.base, value)
        i += 1
    r.smoothed_to = end
    return 0


cdef int add_rows(Rows* r, const real[::1] y, int64_t begin, int64_t end, Stretch* s) except -1 nogil:
    """Add rows to a stretch, which counts them from `base`: complete blocks from the levels, the rest one by one."""
    cdef int64_t first = (begin - r.base + (1 << r.bits) - 1) >> r.bits, last = min((end - r.base) >> r.bits, r.view.blocks)
    if first >= last:
        return add_some(r, y, begin, end, s)
    add_some(r, y, begin, r.base + (first << r.bits), s)
    merge_blocks(&r.view, first, last, s)
    return add_some(r, y, r.base + (last << r.bits), end, s)


cdef inline void shift_rows(Stretch* s, int64_t shift) noexcept nogil:
    if s.first >= 0:
        s.first += shift
        s.last += shift
        s.lowest += shift
        s.highest += shift
    if s.nan >= 0:
        s.nan += shift
    if s.pos_inf >= 0:
        s.pos_inf += shift
    if s.neg_inf >= 0:
        s.neg_inf += shift


cdef inline void keep(Drawing* d, int64_t row, double value, int64_t* rows, double* values) noexcept nogil:
    rows[d.kept] = row
    values[d.kept] = value
    d.kept += 1


cdef void end_column(Drawing* d, int64_t* rows, double* values) noexcept nogil:
    """Keep the points of the column, and begin no other."""
    cdef int64_t[7] points
    cdef int count, k
    cdef double value
    cdef const Stretch* s = &d.s
    if d.column < 0:
        return
    count = points_in_order(s, points)
    for k in range(count):
        if points[k] == s.nan:
            value = NAN
        elif points[k] == s.pos_inf:
            value = INFINITY
        elif points[k] == s.neg_inf:
            value = -INFINITY
        elif points[k] == s.first:
            value = s.first_value
        elif points[k] == s.last:
            value = s.last_value
        elif points[k] == s.lowest:
            value = s.low
        else:
            value = s.high
        keep(d, points[k], value, rows, values)


cdef bint has_settled_at(Rows* r, int64_t row) noexcept nogil:
    if row >= r.settled_row:
        return True
    cdef EmaState state = r.starts[(row - r.base) >> r.bits]
    if state.seen < r.settled_seen and not ema_from(r.weight, state).has_settled:
        return False
    r.settled_seen = min(r.settled_seen, state.seen)
    r.settled_row = row
    return True


cdef int look(Rows* r, const real[::1] y, int64_t begin, int64_t end, Drawn* after) except -1 nogil:
    """The points of a column from all of its rows."""
    cdef Stretch rest
    after.begin = begin
    after.end = end
    after.inner = min(begin + FRONT, end)
    clear(&after.s)
    clear(&rest)
    add_rows(r, y, begin, after.inner, &after.s)
    add_rows(r, y, after.inner, end, &rest)
    merge(&after.s, &rest)
    after.lowest = rest.lowest
    after.highest = rest.highest
    after.low = rest.low if rest.first >= 0 else INFINITY
    after.high = rest.high if rest.first >= 0 else -INFINITY
    return 0


cdef int find_front(Rows* r, const real[::1] y, int64_t begin, const Drawn* before, Stretch* s) except -1 nogil:
    """The extremes of a column that begins at a later row, whose value is known: of the rows up to `inner`, and of those from there on."""
    cdef int64_t i
    cdef double value = s.first_value, share = 1.0 - r.weight
    s.low = s.high = value
    s.lowest = s.highest = begin - r.base
    guard_rows(&r.y_guard, begin, before.inner)
    for i in range(begin + 1, before.inner):
        value = y[i] if r.starts == NULL else value * r.weight + share * y[i]
        if value < s.low:
            s.lowest = i - r.base
            s.low = value
        if value > s.high:
            s.highest = i - r.base
            s.high = value
    if before.low < s.low:
        s.lowest = before.lowest
        s.low = before.low
    if before.high > s.high:
        s.highest = before.highest
        s.high = before.high
    return 0


cdef bint carry_on(Rows* r, const real[::1] y, const Drawn* before, int64_t begin, int64_t end, Drawn* after) except? -1 nogil:
    """The points of a column from what it showed, where it lost a few rows at its front and got a few at its end.

    False if that does not tell them: then all rows must be looked at. The operations of an average are those of `ema_next`.
    """
    cdef int64_t i
    cdef double value, share = 1.0 - r.weight
    cdef Stretch* s = &after.s
    if before.begin < 0 or not before.begin <= begin < before.end <= end:
        return False
    if begin - before.begin > MAX_MOVED or end - before.end > MAX_MOVED:
        return False
    after[0] = before[0]
    if begin == before.begin and end == before.end:
        return True
    if not is_finite_only(s):
        return False
    after.begin = begin
    after.end = end
    if r.starts == NULL:
        guard_rows(&r.y_guard, begin, begin + 1)
        guard_rows(&r.y_guard, before.end, end)
        s.first_value = y[begin]
    elif not has_settled_at(r, before.begin):
        return False
    else:
        for i in range(before.begin + 1, begin + 1):
            s.first_value = s.first_value * r.weight + share * y[i]
    s.first = begin - r.base
    if s.lowest < s.first or s.highest < s.first:
        if begin > before.inner:
            return False
        find_front(r, y, begin, before, s)
    if begin > after.inner:
        after.inner = begin
        after.lowest = s.lowest
        after.highest = s.highest
        after.low = s.low
        after.high = s.high
    for i in range(before.end, end):
        value = y[i] if r.starts == NULL else s.last_value * r.weight + share * y[i]
        # An average passes over a value that is not finite.
        if value - value != 0.0:
            return False
        add(s, i - r.base, value)
        if value < after.low:
            after.lowest = i - r.base
            after.low = value
        if value > after.high:
            after.highest = i - r.base
            after.high = value
    return True


cdef inline void fetch_row(const Rows* r, const real[::1] y, int64_t row) noexcept nogil:
    if r.steps != NULL:
        FETCH(r.steps + row)
    else:
        FETCH(r.times + row)
    FETCH(&y[row])


cdef int draw_piece(
    Drawing* d, Rows* r, const real[::1] y, int64_t start, int64_t stop, int64_t* rows, double* values, const Drawn* before,
    Drawn* after,
) except -1 nogil:
    cdef int64_t i = start, end, guess
    cdef Py_ssize_t column
    cdef Stretch s
    while i < stop:
        column = column_of(&d.pixels, place(r, i))
        if is_damaged(r):
            with gil:
                raise RowsDamaged
        if not d.column <= column < d.pixels.width:
            raise ValueError("x goes back, though it was said to rise.")
        guess = d.reach
        if before != NULL:
            if before[column].end > i + 1:
                guess = before[column].end - 1 - i
            if column + AHEAD < d.pixels.width and before[column + AHEAD].begin >= 0:
                fetch_row(r, y, before[column + AHEAD].begin)
        end = column_end(&d.pixels, r, i, stop, guess)
        d.reach = max(end - i, <int64_t>1)
        if column != d.column:
            end_column(d, rows, values)
            clear(&d.s)
            d.column = column
        if after == NULL:
            clear(&s)
            add_rows(r, y, i, end, &s)
        else:
            if before == NULL or not carry_on(r, y, &before[column], i, end, &after[column]):
                look(r, y, i, end, &after[column])
            s = after[column].s
        shift_rows(&s, r.shift)
        merge(&d.s, &s)
        i = end
    return 0


cdef class Piece:
    """Rows `begin` to `end` of one file: x (steps, or times less `origin`), values, their pyramid, and how they are smoothed.

    `smoothed` counts rows from `base` on; all arrays have at least `end` rows. `columns`: those that the arrays are unchecked views of;
    every method checks what it uses of them, and raises RowsDamaged.
    """

    cdef readonly int64_t base
    cdef readonly int64_t begin
    cdef readonly int64_t end
    cdef readonly double origin
    cdef readonly object x
    cdef readonly object value
    cdef readonly Pyramid pyramid
    cdef readonly SmoothedRows smoothed
    cdef Columns columns

    def __cinit__(
        self, x, value, Pyramid pyramid, int64_t begin, int64_t end, *, double origin=0.0, SmoothedRows smoothed=None,
        int64_t base=0, Columns columns=None,
    ):
        if smoothed is not None and columns is not None:
            raise ValueError("An average is over rows that were checked.")
        if not 0 <= base <= begin <= end <= min(<int64_t>x.shape[0], <int64_t>value.shape[0]):
            raise IndexError(f"Rows {begin} to {end} are outside a series of {x.shape[0]} x and {value.shape[0]} values.")
        if smoothed is not None and smoothed.count < end - base:
            raise IndexError(f"{end - base} rows, of which only {smoothed.count} are smoothed.")
        self.x = np.ascontiguousarray(x)
        self.value = np.ascontiguousarray(value)
        if self.x.dtype != np.int64 and self.x.dtype != np.float64:
            raise ValueError(f"x is {self.x.dtype}, expected int64 or float64.")
        self.pyramid = pyramid
        self.base = base if smoothed is not None else 0
        self.begin = begin
        self.end = end
        self.origin = origin
        self.smoothed = smoothed
        self.columns = columns

    cdef Guard guard_of_x(self):
        return self.columns.guard(STEP if cnp.PyArray_TYPE(<cnp.ndarray>self.x) == cnp.NPY_INT64 else WALL_TIME)

    cdef Rows rows(self, int scale, list held) except *:
        """As pointers, which are valid while `held` is."""
        cdef Rows r
        cdef cnp.ndarray x = self.x
        memset(&r, 0, sizeof(Rows))
        if cnp.PyArray_TYPE(x) == cnp.NPY_INT64:
            r.steps = <const int64_t*>cnp.PyArray_DATA(x)
        else:
            r.times = <const double*>cnp.PyArray_DATA(x)
        r.origin = self.origin
        r.scale = scale
        r.begin = self.begin
        r.end = self.end
        r.smoothed_to = -1
        r.bits = BLOCK_BITS if self.smoothed is None else SMOOTH_BITS
        if self.smoothed is None:
            held.append(self.pyramid.levels.arrays)
            r.view = self.pyramid.levels.view()
        else:
            held += [self.smoothed.levels.arrays, self.smoothed.starts]
            r.view = self.smoothed.levels.view()
            r.starts = <const EmaState*>cnp.PyArray_DATA(<cnp.ndarray>self.smoothed.starts)
            r.weight = r.ema.weight = self.smoothed.weight
            r.settled_seen = r.settled_row = INT64_MAX
            r.base = self.base
        if self.columns is not None:
            r.x_guard = self.guard_of_x()
            r.y_guard = self.columns.guard(VALUE)
        return r

    def cut(self, int64_t begin, int64_t end):
        """Fewer rows of the same piece."""
        return Piece(
            self.x, self.value, self.pyramid, begin, end, origin=self.origin, smoothed=self.smoothed, base=self.base,
            columns=self.columns,
        )

    def __len__(self):
        return self.end - self.begin

    def find(self, double bound, *, bint is_above=False, str scale="linear"):
        """The first row whose place on the axis is at least `bound`, or above it."""
        held = []
        cdef Rows r = self.rows(SCALES[scale], held)
        found = first_from(&r, bound, is_above)
        if is_damaged(&r):
            raise RowsDamaged
        return found

    def place(self, int64_t row, str scale="linear"):
        """Where a row is on the axis."""
        if not self.begin <= row < self.end:
            raise IndexError(f"Row {row} is outside the piece from {self.begin} to {self.end}.")
        held = []
        cdef Rows r = self.rows(SCALES[scale], held)
        found = place(&r, row)
        if is_damaged(&r):
            raise RowsDamaged
        return found

    def read_x(self, rows):
        """The x of rows, an index array or a slice."""
        if self.columns is not None:
            look_at(self.guard_of_x(), rows)
        x = self.x[rows].astype(np.float64)
        return x - self.origin if self.origin else x

    def read_values(self, rows):
        """The values of rows as they were logged, an index array or a slice."""
        if self.columns is not None:
            look_at(self.columns.guard(VALUE), rows)
        return self.value[rows]

    def read_y(self, int64_t begin, int64_t end):
        """The values of rows, smoothed ones as float64."""
        if self.smoothed is None:
            return self.read_values(slice(begin, end))
        return self.smoothed.read(self.value[self.base :], begin - self.base, end - self.base)


cdef int look_at(Guard guard, rows) except -1:
    """Check rows before they are used, an index array or a slice."""
    cdef const int64_t[::1] each
    cdef Py_ssize_t i
    if guard.done == NULL:
        return 0
    if isinstance(rows, slice):
        guard_rows(&guard, max(0, rows.start), min(guard.count, <int64_t>rows.stop))
    else:
        each = rows
        for i in range(each.shape[0]):
            if not 0 <= each[i] < guard.count:
                raise IndexError(f"Row {each[i]} of {guard.count}.")
            guard_row(&guard, each[i])
    if guard.is_damaged:
        raise RowsDamaged
    return 0


def reduce_pieces(
    list pieces, double lo, double hi, Py_ssize_t width, str scale="linear", DrawnColumns earlier=None
):
    """(rows, values, columns): the points that `reduce.reduce_columns` keeps of all rows of the pieces, counted over them from 0.

    lo and hi are places on the axis; an infinite one is the outermost place. None of the pieces is empty. Values are float64; those
    that are not finite are so here too. `columns` is what the pixel columns of a line in one piece show: the next call goes on from
    it, as `earlier`, when rows were added at the end of the line; rows and average are the same up to there.
    """
    cdef Drawing d
    cdef DrawnColumns drawn = None
    cdef Drawn* before_columns = NULL
    cdef Drawn* after_columns = NULL
    cdef Rows r
    cdef Piece piece
    cdef int64_t before = 0, until = 0, count = 0, start, stop
    cdef int number = SCALES[scale]
    if width < 1:
        raise ValueError(f"width is {width}, expected at least 1 pixel column.")
    kept = empty(7 * width + 2, cnp.NPY_INT64)
    found = empty(7 * width + 2, cnp.NPY_FLOAT64)
    cdef int64_t* rows = <int64_t*>cnp.PyArray_DATA(<cnp.ndarray>kept)
    cdef double* values = <double*>cnp.PyArray_DATA(<cnp.ndarray>found)
    lo = pieces[0].place(pieces[0].begin, scale) if lo == -INFINITY else lo
    last = pieces[len(pieces) - 1]
    hi = last.place(last.end - 1, scale) if hi == INFINITY else hi
    if not (isfinite(lo) and isfinite(hi)):
        return kept[:0].copy(), found[:0].copy(), None
    held = []
    for piece in pieces:
        r = piece.rows(number, held)
        before += first_from(&r, lo, False) - r.begin
        until += first_from(&r, hi, True) - r.begin
        count += r.end - r.begin
    memset(&d, 0, sizeof(Drawing))
    d.pixels = pixels_over(lo, hi, width)
    d.column = -1
    d.reach = 1
    clear(&d.s)
    if len(pieces) == 1:
        drawn = DrawnColumns(pieces[0], width)
        after_columns = drawn.pointer()
        if earlier is not None and earlier.goes_on(drawn):
            before_columns = earlier.pointer()
    if before > 0:
        keep(&d, before - 1, 0.0, rows, values)
    count = 0
    for piece in pieces:
        r = piece.rows(number, held)
        r.shift = r.base - r.begin + count
        start, stop = first_from(&r, lo, False), first_from(&r, hi, True)
        if is_float32(piece.value):
            draw_float(&d, &r, piece.value, start, stop, rows, values, before_columns, after_columns)
        else:
            draw_double(&d, &r, piece.value, start, stop, rows, values, before_columns, after_columns)
        if is_damaged(&r):
            raise RowsDamaged
        count += r.end - r.begin
    end_column(&d, rows, values)
    if until < count:
        keep(&d, until, 0.0, rows, values)
    kept, found = kept[: d.kept].copy(), found[: d.kept].copy()
    if before > 0:
        found[0] = value_of_row(pieces, before - 1)
    if until < count:
        found[d.kept - 1] = value_of_row(pieces, until)
    return kept, found, drawn


cdef int draw_float(
    Drawing* d, Rows* r, const float[::1] y, int64_t start, int64_t stop, int64_t* rows, double* values, const Drawn* before,
    Drawn* after,
) except -1:
    with nogil:
        return draw_piece(d, r, y, start, stop, rows, values, before, after)


cdef int draw_double(
    Drawing* d, Rows* r, const double[::1] y, int64_t start, int64_t stop, int64_t* rows, double* values, const Drawn* before,
    Drawn* after,
) except -1:
    with nogil:
        return draw_piece(d, r, y, start, stop, rows, values, before, after)


cdef double value_of_row(list pieces, int64_t row) except? -1:
    for piece in pieces:
        if row < piece.end - piece.begin:
            return piece.read_y(piece.begin + row, piece.begin + row + 1)[0]
        row -= piece.end - piece.begin
    raise IndexError(f"Row {row} lies behind the pieces.")


def smoothed_rows(Pyramid pyramid, value, int64_t begin, double weight, double last=0.0, int64_t seen=0):
    """The average over value[begin:], brought up to date. A pyramid keeps the two that were asked for last."""
    key = (begin, weight, last, seen)
    with pyramid.lock:
        rows = pyramid.smoothed.pop(key, None)
        if rows is None:
            rows = SmoothedRows(weight, last, seen)
        pyramid.smoothed[key] = rows
        while len(pyramid.smoothed) > MAX_SMOOTHED:
            del pyramid.smoothed[next(iter(pyramid.smoothed))]
    rows.update(value[begin:])
    return rows
