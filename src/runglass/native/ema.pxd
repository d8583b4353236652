# One step of the debiased exponential average over point index, from any point on. Importing these names links nothing.
from libc.math cimport isfinite, pow
from libc.stdint cimport int64_t


cdef inline double unit_weight(double weight) noexcept nogil:
    if not isfinite(weight) or weight < 0.0:
        return 0.0
    return 1.0 if weight > 1.0 else weight


cdef inline bint is_settled(double power) noexcept nogil:
    # 1 - p rounds to 1 from p = 2**-54 down. Half of that leaves room for the error of pow(), so that no later power
    # can come out above it.
    return power < 2.0**-55


cdef struct EmaState:
    double last
    # Finite points so far.
    int64_t seen


cdef struct Ema:
    double weight
    EmaState state
    # The divisor is 1 from here on.
    bint has_settled


cdef inline Ema ema_from(double weight, EmaState state) noexcept nogil:
    """Go on from a state; `weight` is a unit weight."""
    cdef Ema ema
    ema.weight = weight
    ema.state = state
    ema.has_settled = weight == 1.0 or (state.seen > 0 and is_settled(pow(weight, <double>state.seen)))
    return ema


cdef inline double ema_next(Ema* ema, double value) noexcept nogil:
    cdef double power
    if value - value != 0.0:
        return value
    ema.state.last = ema.state.last * ema.weight + (1.0 - ema.weight) * value
    ema.state.seen += 1
    if ema.has_settled:
        return ema.state.last
    power = pow(ema.weight, <double>ema.state.seen)
    ema.has_settled = is_settled(power)
    return ema.state.last / (1.0 - power)
