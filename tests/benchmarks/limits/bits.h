// The k-th set bit of a set.
#pragma once
#include <cstdint>
#ifdef __BMI2__
#include <immintrin.h>
#endif

// The k-th set bit, alone.
inline uint64_t kth_alone(uint64_t bits, uint64_t k) {
#ifdef __BMI2__
    return _pdep_u64(1ull << k, bits);
#else
    while (k--) bits &= bits - 1;
    return bits & -bits;
#endif
}

// Its number.
inline int kth(uint64_t bits, uint64_t k) { return __builtin_ctzll(kth_alone(bits, k)); }
