"""Records on their way to a file: framed into one buffer by the threads that log, taken out whole by the one that writes.

Knows the outermost fields of an event and nothing of what a value means; what a scalar looks like it asks its subclass.
There is no lock. Every append is one stretch of C under the GIL: whatever may run Python code (a clock, a new tag, the
call for room) has run before its first byte is written.
"""

from collections import deque
from sys import modules

cimport cython

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_AsDouble, PyFloat_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.object cimport PyObject
from cpython.set cimport PySet_Contains
from cpython.time cimport time as system_time
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from runglass.native.records cimport FOOTER_BYTES, HEADER_BYTES, rg_crc32c_init, rg_masked_crc32c
from runglass.native.wire cimport load_u64, put_varint, store_u32, store_u64

rg_crc32c_init()

cdef enum:
    SMALLEST_BYTES = 1024
    # Event.wall_time with its key, and Event.step with its key at its longest.
    STAMP_BYTES = 9 + 11
    WALL_TIME_KEY = 0x09
    STEP_KEY = 0x10
    # Past this the templates are forgotten and made again: a million different tags must not stay in memory.
    TEMPLATES_LIMIT_BYTES = 8 << 20
    # A template beside its bytes: two objects and a place in a dict.
    TEMPLATE_BYTES = 200

# Types of NumPy whose numbers become a double, or a step, without a question about their shape.
cdef frozenset NUMPY_INTEGERS = frozenset(
    {np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intc, np.longlong}
)
cdef frozenset NUMPY_NUMBERS = NUMPY_INTEGERS | {np.float16, np.float32, np.bool_}


# That of the last tensor: finding it anew takes half a microsecond.
cdef object tensor_type = None


cdef bint is_tensor(value):
    """Of torch, if the program has imported it, and exactly: parameters and other subclasses may mean something else."""
    global tensor_type
    if type(value) is tensor_type:
        return True
    torch = modules.get("torch")
    if torch is None or type(value) is not getattr(torch, "Tensor", None):
        return False
    tensor_type = type(value)
    return True


cdef object tensor_number(value):
    """The real number in a tensor on the CPU; None for any other tensor."""
    try:
        found = value.item() if value.is_cpu else None
    except Exception:
        return None
    return found if type(found) is float or type(found) is int or type(found) is bool else None


cdef union Number:
    double d
    float f
    uint64_t u64
    uint32_t u32


cdef class Template:
    """An event with one scalar, behind its stamp, and the place of the number in it."""

    cdef bytes data
    cdef Py_ssize_t number_at
    cdef bint is_double
    cdef int64_t step


cdef class NativeRecordBuffer:
    """The subclass says what a scalar looks like and what happens when the buffer fills (the four methods at the end).

    `forms` are the ways to write a scalar that the subclass knows; the first is what `add_scalar` writes by default.
    """

    cdef bytes buffer
    cdef uint8_t *data
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t size
    # `wake` is called when this many bytes wait, once until `is_asked` is reset.
    cdef public Py_ssize_t wake_bytes
    # The buffer never outgrows this, except by a single record.
    cdef public Py_ssize_t max_bytes
    cdef public bint is_asked
    cdef public bint is_closed
    # Records and jobs that found no room.
    cdef public long long dropped
    cdef readonly Py_ssize_t job_bytes
    cdef object jobs
    cdef object clock
    # By form, and then by tag.
    cdef dict templates
    cdef object first_form
    # The form of the last scalar and its templates: a program logs most of its scalars in one form.
    cdef object recent_form
    cdef dict recent_templates
    cdef Py_ssize_t template_bytes

    def __init__(self, *, forms, clock, Py_ssize_t wake_bytes, Py_ssize_t max_bytes):
        """`clock` is None for the system's, which is read without calling Python."""
        self.clock = clock
        self.wake_bytes = wake_bytes
        self.max_bytes = max_bytes
        self.templates = {form: {} for form in forms}
        self.first_form = self.recent_form = forms[0]
        self.recent_templates = self.templates[self.recent_form]
        self.clear()

    def clear(self):
        """Forget everything that waits, as a forked child does with what is its parent's."""
        self.buffer = None
        self.data = NULL
        self.room = self.size = 0
        self.jobs = deque()
        self.job_bytes = 0
        self.dropped = 0
        self.is_asked = False

    def now(self):
        return system_time() if self.clock is None else float(self.clock())

    def add_scalar(self, tag, value, step, wall_time=None, *, form=None):
        cdef double number = 0.0
        cdef double at = 0.0
        cdef int64_t place
        cdef int overflow = 0
        if form is None:
            form = self.first_form
        # Anything that is not plain, and a buffer that is closed, is the subclass's to sort out.
        if self.is_closed or type(tag) is not str or type(step) is not int or form not in self.templates:
            return self.add_odd_scalar(tag, value, step, wall_time, form)
        if type(value) is float:
            number = PyFloat_AS_DOUBLE(value)
        elif type(value) is int or type(value) is bool:
            number = <double>PyLong_AsLongLongAndOverflow(value, &overflow)
        else:
            return self.add_odd_scalar(tag, value, step, wall_time, form)
        if overflow:
            return self.add_odd_scalar(tag, value, step, wall_time, form)
        place = PyLong_AsLongLongAndOverflow(step, &overflow)
        if overflow:
            return self.add_odd_scalar(tag, value, step, wall_time, form)
        if wall_time is None:
            at = system_time() if self.clock is None else self.clock()
        elif type(wall_time) is float and isfinite(PyFloat_AS_DOUBLE(wall_time)):
            at = PyFloat_AS_DOUBLE(wall_time)
        else:
            return self.add_odd_scalar(tag, value, step, wall_time, form)
        self.put(<str>tag, number, place, at, form)

    # Called by itself a bound method of C takes less time than one that looks like Python's.
    @cython.binding(False)
    def try_scalar(self, tag, value, step, form):
        """Adds the next scalar of a tag that had one, if value is a number of Python or NumPy or a torch tensor with one.

        The step is an integer of Python or NumPy; the tensor is on the CPU, so that asking for its number waits for nothing.
        False: nothing was done, and add_scalar is to be asked. It raises nothing for what it is given.
        """
        cdef double number
        cdef int64_t place
        cdef int overflow = 0
        cdef PyObject *found
        cdef Template template
        if self.is_closed or type(tag) is not str or (form is not self.recent_form and form not in self.templates):
            return False
        found = PyDict_GetItemWithError(self.templates_of(form), tag)
        if found == NULL:
            return False
        template = <Template>found
        # float64 of NumPy is a float.
        if PyFloat_Check(value):
            number = PyFloat_AS_DOUBLE(value)
        elif type(value) is int:
            number = <double>PyLong_AsLongLongAndOverflow(value, &overflow)
        elif PySet_Contains(NUMPY_NUMBERS, type(value)):
            number = PyFloat_AsDouble(value)
        elif is_tensor(value):
            value = tensor_number(value)
            # Asking ran code of torch, in which another thread may have closed the buffer.
            if value is None or self.is_closed:
                return False
            number = PyFloat_AsDouble(value)
        else:
            return False
        if type(step) is not int:
            if not PySet_Contains(NUMPY_INTEGERS, type(step)):
                return False
            step = int(step)
        if overflow:
            return False
        place = PyLong_AsLongLongAndOverflow(step, &overflow)
        if overflow:
            return False
        self.put_by(template, number, place, system_time() if self.clock is None else self.clock())
        return True

    def put_scalar(self, str tag not None, double value, int64_t step, double wall_time, form):
        """The same for arguments that are checked and plain."""
        self.put(tag, value, step, wall_time, form)

    def last_step(self, str tag not None):
        """Where this tag's newest scalar is; None for a tag that had none."""
        cdef Template template
        last = None
        for by_tag in self.templates.values():
            template = by_tag.get(tag)
            if template is not None and (last is None or template.step > last):
                last = template.step
        return last

    cdef int put(self, str tag, double value, int64_t step, double wall_time, form) except -1:
        cdef PyObject *found = PyDict_GetItemWithError(self.templates_of(form), tag)
        return self.put_by(
            <Template>found if found != NULL else self.new_template(tag, form), value, step, wall_time
        )

    cdef inline dict templates_of(self, form):
        if form is not self.recent_form:
            self.recent_templates = <dict>self.templates[form]
            self.recent_form = form
        return self.recent_templates

    # The caller owns the template, because what is in the dict may be forgotten while room is made.
    cdef int put_by(self, Template template, double value, int64_t step, double wall_time) except -1:
        cdef Py_ssize_t n = PyBytes_GET_SIZE(template.data)
        cdef uint8_t *start = self.reserve(HEADER_BYTES + STAMP_BYTES + n + FOOTER_BYTES)
        cdef uint8_t *p
        cdef Number number
        if start == NULL:
            return 0
        template.step = step
        p = start + HEADER_BYTES
        p[0] = WALL_TIME_KEY
        number.d = wall_time
        store_u64(p + 1, number.u64)
        p += 9
        if step:
            p[0] = STEP_KEY
            p += 1 + put_varint(p + 1, <uint64_t>step)
        memcpy(p, PyBytes_AS_STRING(template.data), n)
        if template.is_double:
            number.d = value
            store_u64(p + template.number_at, number.u64)
        else:
            number.f = <float>value
            store_u32(p + template.number_at, number.u32)
        self.close_record(start, p + n - start - HEADER_BYTES)
        return self.wake_when_full()

    def add(self, bytes payload not None):
        """Any record."""
        cdef Py_ssize_t n = PyBytes_GET_SIZE(payload)
        cdef uint8_t *start = self.reserve(HEADER_BYTES + n + FOOTER_BYTES)
        if start == NULL:
            return
        memcpy(start + HEADER_BYTES, PyBytes_AS_STRING(payload), n)
        self.close_record(start, n)
        self.wake_when_full()

    def take(self):
        """Everything in the buffer, which starts anew; None when it is empty."""
        cdef bytes buffer = self.buffer
        cdef Py_ssize_t size = self.size
        if not size:
            return None
        # Before anything is made that could set off the garbage collector, and with it somebody who logs.
        self.buffer = None
        self.data = NULL
        self.room = self.size = 0
        return memoryview(buffer)[:size]

    def add_job(self, job, Py_ssize_t size_bytes):
        """Something that is yet to become a record, and what it holds in memory until then."""
        self.jobs.append((job, size_bytes))
        self.job_bytes += size_bytes

    def next_job(self):
        """The oldest job, which is the caller's now; None when there is none."""
        if not self.jobs:
            return None
        job, size_bytes = self.jobs.popleft()
        self.job_bytes -= size_bytes
        return job

    @property
    def job_count(self):
        return len(self.jobs)

    # Room for so many bytes at the end of the buffer; NULL, without an exception, when they have to be dropped.
    cdef uint8_t *reserve(self, Py_ssize_t need) except? NULL:
        cdef Py_ssize_t room
        cdef bytes wider
        if self.size and self.size + need > self.max_bytes:
            # Python code: other threads may append meanwhile.
            if not self.make_room() or (self.size and self.size + need > self.max_bytes):
                self.dropped += 1
                return NULL
        if self.size + need > self.room:
            room = max(2 * self.room, self.size + need, SMALLEST_BYTES)
            wider = PyBytes_FromStringAndSize(NULL, room)
            if self.size:
                memcpy(PyBytes_AS_STRING(wider), self.data, self.size)
            self.buffer = wider
            self.data = <uint8_t *>PyBytes_AS_STRING(wider)
            self.room = room
        return self.data + self.size

    cdef void close_record(self, uint8_t *start, Py_ssize_t n) noexcept:
        store_u64(start, <uint64_t>n)
        store_u32(start + 8, rg_masked_crc32c(start, 8))
        store_u32(start + HEADER_BYTES + n, rg_masked_crc32c(start + HEADER_BYTES, n))
        self.size += HEADER_BYTES + n + FOOTER_BYTES

    cdef int wake_when_full(self) except -1:
        # What another thread was about to add when the buffer was closed has nobody else to ask for it.
        if (self.size >= self.wake_bytes or self.is_closed) and not self.is_asked:
            self.is_asked = True
            self.wake()
        return 0

    cdef Template new_template(self, str tag, form):
        cdef Template template = Template.__new__(Template)
        cdef bytes before, after
        before, template.is_double, after = self.scalar_parts(tag, form)
        template.data = before + bytes(8 if template.is_double else 4) + after
        template.number_at = PyBytes_GET_SIZE(before)
        # The tag is a key too, with up to four bytes a character.
        self.template_bytes += TEMPLATE_BYTES + PyBytes_GET_SIZE(template.data) + 4 * len(tag)
        if self.template_bytes > TEMPLATES_LIMIT_BYTES:
            for by_tag in self.templates.values():
                by_tag.clear()
            self.template_bytes = 0
        self.templates[form][tag] = template
        return template

    # ---- for the subclass

    def scalar_parts(self, tag, form):
        """The bytes of an event with this scalar, without its stamp: those before the number, whether that is a double, those after it."""
        raise NotImplementedError

    def add_odd_scalar(self, tag, value, step, wall_time, form):
        """A scalar whose arguments are not plain: check, convert and `put_scalar`, or refuse."""
        raise NotImplementedError

    def wake(self):
        """Enough waits. Called after the append, on the thread that logged."""
        raise NotImplementedError

    def make_room(self):
        """The buffer is full. False: drop this record. Called before the append, on the thread that logged."""
        raise NotImplementedError


def record_boundary(const uint8_t[::1] data not None, Py_ssize_t limit):
    """Of framed records back to back: where the last one that ends at or before `limit` ends, and how many that are."""
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t count = 0
    cdef uint64_t n
    limit = min(limit, data.shape[0])
    while limit - at >= HEADER_BYTES + FOOTER_BYTES:
        n = load_u64(&data[at])
        if n > <uint64_t>(limit - at - HEADER_BYTES - FOOTER_BYTES):
            break
        at += HEADER_BYTES + <Py_ssize_t>n + FOOTER_BYTES
        count += 1
    return at, count
