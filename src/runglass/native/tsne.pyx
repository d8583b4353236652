"""The gradient of t-SNE: repulsion by a tree over the positions (Barnes and Hut, 1986; van der Maaten, 2014), attraction along edges.

The tree is built over points in Morton order. It is walked once for every leaf, not for every point: what is far from all points of a
leaf counts as one mass, and the list of masses is then applied to them, four at a time. Ranges may be taken by several threads.
"""

from libc.math cimport sqrtf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef extern from "forces.h" nogil:
    void attract2(const float *at, const int *others, const float *shares, long count, float px, float py, float *out)
    void attract3(
        const float *at, const int *others, const float *shares, long count, float px, float py, float pz, float *out
    )
    float repel2(const float *x, const float *y, const float *mass, int count, float px, float py, float *out)
    float repel3(
        const float *x, const float *y, const float *z, const float *mass, int count, float px, float py, float pz, float *out
    )


cdef enum:
    LEAF = 16
    # A leaf that cannot be divided any more counts as one mass if it has more points.
    CROWD = 256
    LIST = 2048
    RADIX = 2048


cdef struct Node:
    # The centre of its points, how many they are, and the squared width of its cell.
    float x
    float y
    float z
    float mass
    float width2
    # Its points, in order, and the node behind all below it. A leaf's is the next one.
    int32_t first
    int32_t last
    int32_t skip


cdef inline uint32_t part2(uint32_t x) noexcept nogil:
    x &= 0xFFFF
    x = (x | (x << 8)) & <uint32_t>0x00FF00FF
    x = (x | (x << 4)) & <uint32_t>0x0F0F0F0F
    x = (x | (x << 2)) & <uint32_t>0x33333333
    return (x | (x << 1)) & <uint32_t>0x55555555


cdef inline uint32_t part3(uint32_t x) noexcept nogil:
    x &= 0x3FF
    x = (x | (x << 16)) & <uint32_t>0x030000FF
    x = (x | (x << 8)) & <uint32_t>0x0300F00F
    x = (x | (x << 4)) & <uint32_t>0x030C30C3
    return (x | (x << 2)) & <uint32_t>0x09249249


cdef class Tree:
    """Over `n` points in 2 or 3 dimensions; built anew whenever they have moved."""

    cdef Py_ssize_t n
    cdef int dimensions
    cdef int levels
    cdef float extent
    cdef uint32_t *keys
    cdef uint32_t *keys_b
    cdef int32_t *order
    cdef int32_t *order_b
    cdef float *x
    cdef float *y
    cdef float *z
    cdef Node *nodes
    cdef int32_t *leaves
    cdef Py_ssize_t capacity
    cdef Py_ssize_t count
    cdef readonly Py_ssize_t leaf_count

    def __cinit__(self, Py_ssize_t n, int dimensions):
        if dimensions not in (2, 3) or not 0 < n < 2**31:
            raise ValueError("a tree has points in 2 or 3 dimensions")
        self.n = n
        self.dimensions = dimensions
        self.levels = 16 if dimensions == 2 else 10
        # A node has points of its own, and one with a single child is not made.
        self.capacity = 2 * n + 64
        self.keys = <uint32_t *>malloc(n * sizeof(uint32_t))
        self.keys_b = <uint32_t *>malloc(n * sizeof(uint32_t))
        self.order = <int32_t *>malloc(n * sizeof(int32_t))
        self.order_b = <int32_t *>malloc(n * sizeof(int32_t))
        self.x = <float *>malloc(n * sizeof(float))
        self.y = <float *>malloc(n * sizeof(float))
        self.z = <float *>malloc(n * sizeof(float))
        self.nodes = <Node *>malloc(self.capacity * sizeof(Node))
        self.leaves = <int32_t *>malloc(n * sizeof(int32_t))
        if not (self.keys and self.keys_b and self.order and self.order_b and self.x and self.y and self.z):
            raise MemoryError
        if not (self.nodes and self.leaves):
            raise MemoryError

    def __dealloc__(self):
        free(self.keys)
        free(self.keys_b)
        free(self.order)
        free(self.order_b)
        free(self.x)
        free(self.y)
        free(self.z)
        free(self.nodes)
        free(self.leaves)

    def build(self, const float[:, ::1] positions not None):
        if positions.shape[0] != self.n or positions.shape[1] != self.dimensions:
            raise ValueError("arrays of unequal sizes")
        with nogil:
            self.place(positions)
            self.sort()
            self.copy(positions)
            self.count = 0
            self.leaf_count = 0
            self.grow(0, <int32_t>self.n, 0)

    cdef void place(self, const float[:, ::1] positions) noexcept nogil:
        cdef float low[3]
        cdef float high[3]
        cdef float scale
        cdef Py_ssize_t i
        cdef int c
        cdef uint32_t at[3]
        for c in range(self.dimensions):
            low[c] = high[c] = positions[0, c]
            for i in range(1, self.n):
                if positions[i, c] < low[c]:
                    low[c] = positions[i, c]
                elif positions[i, c] > high[c]:
                    high[c] = positions[i, c]
        self.extent = 0
        for c in range(self.dimensions):
            if high[c] - low[c] > self.extent:
                self.extent = high[c] - low[c]
        scale = (1 << self.levels) / self.extent if self.extent > 0 else 0
        for i in range(self.n):
            for c in range(self.dimensions):
                at[c] = <uint32_t>((positions[i, c] - low[c]) * scale)
                if at[c] >= <uint32_t>(1 << self.levels):
                    at[c] = <uint32_t>(1 << self.levels) - 1
            if self.dimensions == 2:
                self.keys[i] = part2(at[0]) | (part2(at[1]) << 1)
            else:
                self.keys[i] = part3(at[0]) | (part3(at[1]) << 1) | (part3(at[2]) << 2)
            self.order[i] = <int32_t>i

    cdef void sort(self) noexcept nogil:
        """By key, eleven bits at a time."""
        cdef int32_t counts[RADIX]
        cdef int step, b
        cdef int32_t total, each
        cdef Py_ssize_t i
        cdef uint32_t *keys
        cdef int32_t *order
        for step in range(3):
            memset(counts, 0, sizeof(counts))
            for i in range(self.n):
                counts[(self.keys[i] >> (11 * step)) & (RADIX - 1)] += 1
            total = 0
            for b in range(RADIX):
                each = counts[b]
                counts[b] = total
                total += each
            for i in range(self.n):
                b = (self.keys[i] >> (11 * step)) & (RADIX - 1)
                self.keys_b[counts[b]] = self.keys[i]
                self.order_b[counts[b]] = self.order[i]
                counts[b] += 1
            keys = self.keys
            self.keys = self.keys_b
            self.keys_b = keys
            order = self.order
            self.order = self.order_b
            self.order_b = order

    cdef void copy(self, const float[:, ::1] positions) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.n):
            self.x[i] = positions[self.order[i], 0]
            self.y[i] = positions[self.order[i], 1]
            self.z[i] = positions[self.order[i], 2] if self.dimensions == 3 else 0

    cdef int32_t grow(self, int32_t first, int32_t last, int level) noexcept nogil:
        """The node of these points and all below it, in the order of a walk."""
        cdef int32_t here, at, child, i
        cdef double x = 0, y = 0, z = 0
        cdef int shift, parts = 1 << self.dimensions
        cdef uint32_t part
        cdef float width
        # Cells that all points are in are passed over.
        while level < self.levels and last - first > LEAF:
            shift = self.dimensions * (self.levels - 1 - level)
            if (self.keys[first] >> shift) != (self.keys[last - 1] >> shift):
                break
            level += 1
        here = <int32_t>self.count
        self.count += 1
        width = self.extent / (1 << level)
        self.nodes[here].first = first
        self.nodes[here].last = last
        self.nodes[here].mass = last - first
        self.nodes[here].width2 = width * width
        if last - first <= LEAF or level >= self.levels:
            for i in range(first, last):
                x += self.x[i]
                y += self.y[i]
                z += self.z[i]
            self.leaves[self.leaf_count] = here
            self.leaf_count += 1
        else:
            shift = self.dimensions * (self.levels - 1 - level)
            at = first
            while at < last:
                part = self.keys[at] >> shift
                i = self.end_of(at, last, part, shift)
                child = self.grow(at, i, level + 1)
                x += <double>self.nodes[child].x * self.nodes[child].mass
                y += <double>self.nodes[child].y * self.nodes[child].mass
                z += <double>self.nodes[child].z * self.nodes[child].mass
                at = i
        self.nodes[here].x = <float>(x / (last - first))
        self.nodes[here].y = <float>(y / (last - first))
        self.nodes[here].z = <float>(z / (last - first))
        self.nodes[here].skip = <int32_t>self.count
        return here

    cdef int32_t end_of(self, int32_t first, int32_t last, uint32_t part, int shift) noexcept nogil:
        cdef int32_t low = first, high = last, middle
        while low < high:
            middle = low + (high - low) // 2
            if (self.keys[middle] >> shift) == part:
                low = middle + 1
            else:
                high = middle
        return low

    def repel(self, float[:, ::1] forces not None, Py_ssize_t start, Py_ssize_t stop, *, float angle, const uint8_t[::1] flag not None):
        """The repulsion on the points of the leaves from `start` to `stop`, not yet divided by the sum of the kernel over all pairs,
        of which this returns the part of these points."""
        cdef double total = 0
        cdef Py_ssize_t leaf
        cdef int32_t first, last
        cdef Node *node
        cdef float *work
        if forces.shape[0] != self.n or forces.shape[1] != self.dimensions:
            raise ValueError("arrays of unequal sizes")
        if not 0 <= start <= stop <= self.leaf_count:
            raise ValueError("leaves that are not there")
        work = <float *>malloc(4 * (LIST + 4) * sizeof(float))
        if not work:
            raise MemoryError
        with nogil:
            for leaf in range(start, stop):
                if flag[0]:
                    break
                node = &self.nodes[self.leaves[leaf]]
                first = node.first
                while first < node.last:
                    last = first + LEAF if first + LEAF < node.last else node.last
                    total += self.repel_some(forces, first, last, angle, work)
                    first = last
        free(work)
        return total

    cdef double repel_some(
        self, float[:, ::1] forces, int32_t first, int32_t last, float angle, float *work
    ) noexcept nogil:
        cdef float x = 0, y = 0, z = 0, dx, dy, dz, square, reach, radius = 0
        cdef float *lx = work
        cdef float *ly = work + (LIST + 4)
        cdef float *lz = work + 2 * (LIST + 4)
        cdef float *lm = work + 3 * (LIST + 4)
        cdef float out[LEAF][3]
        cdef int32_t i, at = 0, count = 0
        cdef Node *node
        cdef double total = 0
        cdef int c
        memset(out, 0, sizeof(out))
        for i in range(first, last):
            x += self.x[i]
            y += self.y[i]
            z += self.z[i]
        x /= last - first
        y /= last - first
        z /= last - first
        for i in range(first, last):
            square = (self.x[i] - x) * (self.x[i] - x) + (self.y[i] - y) * (self.y[i] - y) + (self.z[i] - z) * (self.z[i] - z)
            if square > radius:
                radius = square
        radius = sqrtf(radius)
        while at < self.count:
            node = &self.nodes[at]
            dx = node.x - x
            dy = node.y - y
            dz = node.z - z
            # Wide enough not to be opened, as seen from the nearest point of the leaf.
            reach = sqrtf(dx * dx + dy * dy + dz * dz) - radius
            if (reach > 0 and node.width2 < angle * angle * reach * reach) or node.mass == 1:
                lx[count] = node.x
                ly[count] = node.y
                lz[count] = node.z
                lm[count] = node.mass
                count += 1
                at = node.skip
            elif node.skip == at + 1:
                if node.last - node.first > CROWD:
                    lx[count] = node.x
                    ly[count] = node.y
                    lz[count] = node.z
                    lm[count] = node.mass
                    count += 1
                else:
                    for i in range(node.first, node.last):
                        lx[count] = self.x[i]
                        ly[count] = self.y[i]
                        lz[count] = self.z[i]
                        lm[count] = 1
                        count += 1
                at += 1
            else:
                at += 1
            if count > LIST - CROWD or (at >= self.count and count):
                while count % 4:
                    lx[count] = ly[count] = lz[count] = lm[count] = 0
                    count += 1
                for i in range(first, last):
                    if self.dimensions == 2:
                        total += repel2(lx, ly, lm, count, self.x[i], self.y[i], out[i - first])
                    else:
                        total += repel3(lx, ly, lz, lm, count, self.x[i], self.y[i], self.z[i], out[i - first])
                count = 0
        for i in range(first, last):
            for c in range(self.dimensions):
                forces[self.order[i], c] = out[i - first][c]
        # Each point has met itself.
        return total - (last - first)


def step(
    const int64_t[::1] starts not None,
    const int32_t[::1] others not None,
    const float[::1] shares not None,
    const float[:, ::1] before not None,
    const float[:, ::1] forces not None,
    float[:, ::1] gains not None,
    float[:, ::1] speeds not None,
    float[:, ::1] after not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    *,
    double kernel_sum,
    float exaggeration,
    float rate,
    float momentum,
    float limit,
):
    """Move some points down the gradient: attraction along their edges, less repulsion; every coordinate has a gain that grows while its
    direction stays (Jacobs, 1988). Returns the sum of squares of the gradient."""
    cdef Py_ssize_t i, n = before.shape[0]
    cdef int dimensions = <int>before.shape[1], c
    cdef int64_t edge
    cdef float gradient, change, length, scale = <float>(1 / kernel_sum) if kernel_sum > 0 else 0
    cdef float pull[3]
    cdef double total = 0
    if starts.shape[0] != n + 1 or others.shape[0] < starts[n] or shares.shape[0] < starts[n]:
        raise ValueError("arrays of unequal sizes")
    if dimensions not in (2, 3) or not 0 <= start <= stop <= n:
        raise ValueError("arrays of unequal sizes")
    if forces.shape[0] != n or gains.shape[0] != n or speeds.shape[0] != n or after.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if forces.shape[1] != dimensions or gains.shape[1] != dimensions:
        raise ValueError("arrays of unequal sizes")
    if speeds.shape[1] != dimensions or after.shape[1] != dimensions:
        raise ValueError("arrays of unequal sizes")
    with nogil:
        for i in range(start, stop):
            edge = starts[i]
            if edge == starts[i + 1]:
                pull[0] = pull[1] = pull[2] = 0
            elif dimensions == 2:
                attract2(
                    &before[0, 0],
                    <const int *>&others[edge],
                    &shares[edge],
                    <long>(starts[i + 1] - edge),
                    before[i, 0],
                    before[i, 1],
                    pull,
                )
            else:
                attract3(
                    &before[0, 0],
                    <const int *>&others[edge],
                    &shares[edge],
                    <long>(starts[i + 1] - edge),
                    before[i, 0],
                    before[i, 1],
                    before[i, 2],
                    pull,
                )
            length = 0
            for c in range(dimensions):
                gradient = exaggeration * pull[c] - scale * forces[i, c]
                total += gradient * gradient
                if (gradient > 0) != (speeds[i, c] > 0):
                    gains[i, c] += <float>0.2
                else:
                    gains[i, c] = gains[i, c] * <float>0.8
                    if gains[i, c] < <float>0.01:
                        gains[i, c] = <float>0.01
                change = momentum * speeds[i, c] - rate * gains[i, c] * gradient
                speeds[i, c] = change
                length += change * change
            # Nothing jumps out of the picture.
            if length > limit * limit:
                length = limit / sqrtf(length)
                for c in range(dimensions):
                    speeds[i, c] *= length
            for c in range(dimensions):
                after[i, c] = before[i, c] + speeds[i, c]
    return total
