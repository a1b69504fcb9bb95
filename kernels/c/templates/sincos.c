/* Sine and cosine of every lane. Angles are reduced by multiples of pi/2; too large ones are left to the C library. */
static void LANED(sincos)(const double *restrict x, double *restrict sine, double *restrict cosine)
{{
#ifdef {N}_LIBM
    for (int l = 0; l < LANES; ++l) {{
        sine[l] = sin(x[l]);
        cosine[l] = cos(x[l]);
    }}
#else
    int beyond = 0;
    for (int l = 0; l < LANES; ++l) {{
        const double y = {N}_FMA(x[l], {two_over_pi}, {magic});
        const double k = y - {magic};
        int64_t n;
        memcpy(&n, &y, sizeof n);
        const double left = {N}_FMA(-k, {N}_PI_1, x[l]);
        const double product = {N}_TIMES(k, {N}_PI_2);
        const double close = left - product;
        const double lost = ((left - close) - product) - {N}_LOST(k, {N}_PI_2, product);
        const double little = {N}_FMA(-k, {N}_PI_3, lost);
        const double r = close + little;
        const double rest = (close - r) + little;
        const double z = {N}_TIMES(r, r);
        const double odd = {sine};
        const double even = {cosine};
        const double most = {N}_FMA(z, -0.5, 1.0);
        const double s = r + {N}_FMA({N}_TIMES(r, z), odd, {N}_TIMES(rest, most));
        const double rounding = {N}_FMA(z, -0.5, 1.0 - most);
        const double c = most + {N}_FMA(-r, rest, {N}_FMA({N}_TIMES(z, z), even, rounding));
        const double first = (n & 1) ? c : s;
        const double second = (n & 1) ? s : c;
        sine[l] = (n & 2) ? -first : first;
        cosine[l] = ((n + 1) & 2) ? -second : second;
        beyond |= !(fabs(x[l]) <= {N}_REACH);
    }}
    for (int l = 0; beyond && l < LANES; ++l) {{
        if (!(fabs(x[l]) <= {N}_REACH)) {{
            sine[l] = sin(x[l]);
            cosine[l] = cos(x[l]);
        }}
    }}
#endif
}}
