/* Sine and cosine: {N}_LIBM takes them from the C library. It is defined where doubles are rounded otherwise than
   the reduction of angles needs. */
#if !defined({N}_LIBM) && (defined(__FAST_MATH__) || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1))
#define {N}_LIBM
#endif
#ifdef FP_FAST_FMA
#define {N}_FMA(a, b, c) fma(a, b, c)
#define {N}_TIMES(a, b) fma(a, b, 0.0)
#define {N}_LOST(a, b, product) fma(a, b, -(product))
#define {N}_REACH {fused_reach}
{fused}
#else
#define {N}_FMA(a, b, c) ((a) * (b) + (c))
#define {N}_TIMES(a, b) ((a) * (b))
#define {N}_LOST(a, b, product) 0.0
#define {N}_REACH {reach}
{short}
#endif
