// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_COEFFICIENTS_HPP
#define QUERN_SRC_MAP_COEFFICIENTS_HPP

// Written by tools/elementary_coefficients.py. The names that end in _single are for results in float.
namespace quern::math::coefficients {

// clang-format off
/// (exp(r) - 1 - r - r^2/2) / r^3; relative error 0.0063 * 2^-53.
inline constexpr double exp[] = {0x1.5555555555556p-3, 0x1.5555555555555p-5, 0x1.11111111109b3p-7, 0x1.6c16c16c167e1p-10, 0x1.a01a01a7c41d5p-13, 0x1.a01a01a47b054p-16, 0x1.71de0dae63bb3p-19, 0x1.27e4e1f48534fp-22, 0x1.af38a9b0ec855p-26, 0x1.1f66df7fca49fp-29};
/// (sin(r) - r) / r^3 of z = r^2; relative error 0.051 * 2^-53.
inline constexpr double sin[] = {-0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019936p-13, 0x1.71de3a54605eep-19, -0x1.ae64541266378p-26, 0x1.61217ec01749dp-33, -0x1.ab17a79237a19p-41};
/// (cos(r) - 1 + r^2/2) / r^4 of z = r^2; relative error 0.0074 * 2^-53.
inline constexpr double cos[] = {0x1.5555555555555p-5, -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16, -0x1.27e4fa17a41b4p-22, 0x1.1eeb68b109173p-29, -0x1.907d7aebd5e3dp-37};
/// (2 atanh(s) - 2 s) / s^3 of z = s^2; relative error 0.038 * 2^-53.
inline constexpr double log[] = {0x1.5555555555558p-1, 0x1.9999999995273p-2, 0x1.2492492dfd86cp-2, 0x1.c71c62d5e53e0p-3, 0x1.7462b91b8df65p-3, 0x1.39fdcceb4bb45p-3, 0x1.2b5f68a50d903p-3};
/// (atan(t) - t) / t^3 of z = t^2; relative error 0.029 * 2^-53.
inline constexpr double atan[] = {-0x1.5555555555555p-2, 0x1.99999999998c4p-3, -0x1.2492492485427p-3, 0x1.c71c71bd22246p-4, -0x1.745d154ae1c94p-4, 0x1.3b1375a3f24c4p-4, -0x1.110c9a3d3c1bep-4, 0x1.e170491df79b9p-5, -0x1.ab5849ab57353p-5, 0x1.6ffbb8354db1ap-5, -0x1.0f55666ec5c9ep-5, 0x1.e3e17f483240ap-7};
/// (asin(s) - s) / s^3 of z = s^2; relative error 0.048 * 2^-53.
inline constexpr double asin[] = {0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7, 0x1.d72b2bc8155f8p-6};
/// exp(x^2) erfc(x) of t = (x - 3) / (x + 3); relative error 0.0059 * 2^-53.
inline constexpr double erfc[] = {0x1.6e9827d229d2dp-3, -0x1.4e102b9cf8514p-2, 0x1.f6ff2041059b2p-3, -0x1.336ffbef088a4p-3, 0x1.258b13b01385ep-4, -0x1.8fa58eb656d90p-6, 0x1.17c838fb9c626p-8, 0x1.7310210f66843p-11, -0x1.390855dff802dp-11, 0x1.7b9d782eb976bp-15, 0x1.0caf8038049c2p-14, -0x1.aedf20e97dd07p-17, -0x1.0c2161e4a8af6p-17, 0x1.0c9ed93113d48p-19, 0x1.4a430390be928p-20};
/// (exp(r) - 1 - r - r^2/2) / r^3; relative error 2.8e+6 * 2^-53.
inline constexpr double exp_single[] = {0x1.5555555555555p-3, 0x1.5555192d5f5dep-5, 0x1.1110f656b73fcp-7, 0x1.6d11093a17fd8p-10, 0x1.a0f86c84449cdp-13};
/// (sin(r) - r) / r^3 of z = r^2; relative error 1.5e+5 * 2^-53.
inline constexpr double sin_single[] = {-0x1.555555545dd83p-3, 0x1.11110deeb33b2p-7, -0x1.a013a6edc8f34p-13, 0x1.6dbdd26f56d2dp-19};
/// (cos(r) - 1 + r^2/2) / r^4 of z = r^2; relative error 6.7e+6 * 2^-53.
inline constexpr double cos_single[] = {0x1.555554414e3a6p-5, -0x1.6c12d2887c343p-10, 0x1.9bd86445fb99bp-16};
/// (2 atanh(s) - 2 s) / s^3 of z = s^2; relative error 1.5e+5 * 2^-53.
inline constexpr double log_single[] = {0x1.5555554ba8b0ep-1, 0x1.9999eb9d6ddfep-2, 0x1.245c273432202p-2, 0x1.ddd4dad98e4c4p-3};
/// (atan(t) - t) / t^3 of z = t^2; relative error 1.4e+6 * 2^-53.
inline constexpr double atan_single[] = {-0x1.5555554432131p-2, 0x1.9999672447cf8p-3, -0x1.248621eae5a39p-3, 0x1.c4f14346c5866p-4, -0x1.5d75734f7fae5p-4, 0x1.8af6bac82f94bp-5};
/// (asin(s) - s) / s^3 of z = s^2; relative error 5.2e+5 * 2^-53.
inline constexpr double asin_single[] = {0x1.5555555c0171dp-3, 0x1.33331ecf8b70bp-4, 0x1.6dc0f007c13e8p-5, 0x1.efedf83ab6506p-6, 0x1.82db23768c84fp-6, 0x1.5a80a068e3ee2p-7, 0x1.fb7ca379d49c6p-6};
/// exp(x^2) erfc(x) of t = (x - 3) / (x + 3); relative error 5.5e+3 * 2^-53.
inline constexpr double erfc_single[] = {0x1.6e9827d246f71p-3, -0x1.4e102b9e34f04p-2, 0x1.f6ff20143e84dp-3, -0x1.336ffaafe9704p-3, 0x1.258b2a2e5fb0ap-4, -0x1.8fa6e4ddec22fp-6, 0x1.17a7e77e6a988p-8, 0x1.753293d349bf2p-11, -0x1.2f580eab1be4cp-11, 0x1.bfff9748d07fdp-16};
/// (erf(x) - x 2/sqrt(pi)) / x^3 of z = x^2; relative error 0.041 * 2^-53.
inline constexpr double erf[] = {-0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b23p-6, 0x1.565bcd0e68ad5p-8, -0x1.c02db3ff463acp-11, 0x1.f9a326a30b804p-14, -0x1.f4d24985e2549p-17, 0x1.b9e42ffa1c896p-20, -0x1.5f388dd3d0162p-23, 0x1.f618f5988849ep-27, -0x1.1af26d774897cp-30};
/// (erf(1 + d) - erf(1)) / d; relative error 0.095 * 2^-53.
inline constexpr double erf_one[] = {0x1.a911f096fbc26p-2, -0x1.a911f096fbc26p-2, 0x1.1b614b0f52848p-3, 0x1.1b614b0f52827p-4, -0x1.1b614b0f566fap-4, 0x1.2e45a565a3c49p-8, 0x1.f096fd78354bbp-7, -0x1.391146b9273c3p-8, -0x1.ee30e1a352ec5p-10, 0x1.4176c2fe4769bp-10, 0x1.66bf78ef3491bp-14, -0x1.a38b1fb8234f3p-13, 0x1.38aead983b097p-16, 0x1.8d89d22d5c0a4p-16, -0x1.549de9b70f501p-18, -0x1.0f3d9028339b7p-19};
/// (erf(x) - x 2/sqrt(pi)) / x^3 of z = x^2; relative error 1.2e+5 * 2^-53.
inline constexpr double erf_single[] = {-0x1.812746af98ac8p-2, 0x1.ce2f1ff8db533p-4, -0x1.b82c2bd066651p-6, 0x1.563eb0208d3b9p-8, -0x1.bbf87f513a212p-11, 0x1.b0c97dba84decp-14};
/// (erf(1 + d) - erf(1)) / d; relative error 1.5e+6 * 2^-53.
inline constexpr double erf_one_single[] = {0x1.a911f096fbc26p-2, -0x1.a911f136ca9f6p-2, 0x1.1b614af6abf43p-3, 0x1.1b625b19751ddp-4, -0x1.1b613625ad357p-4, 0x1.2c50378bc0b4ep-8, 0x1.f083e30fd904dp-7, -0x1.238e81e1981ecp-8, -0x1.e7c528458b14bp-10};
/// (2 atanh(s) - 2 s - 2/3 s^3) / s^5 of z = s^2; relative error 8.6e-5 * 2^-53.
inline constexpr double log_tail[] = {0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cfe7p-3, 0x1.745d1745124c7p-3, 0x1.3b13b1bd0ead0p-3, 0x1.1110df7e2b9b8p-3, 0x1.e1f80a4c22cd4p-4, 0x1.ac4927065cf5ap-4, 0x1.b8e0c07ef591ap-4};
/// m^(-1/3); relative error 5.9e+10 * 2^-53.
inline constexpr double inverse_cbrt[] = {0x1.c713e2847cbe6p+0, -0x1.8dd4bd7d34771p+0, 0x1.3a267a3d49ad4p+0, -0x1.2c4b958d54c08p-1, 0x1.37ce9e9ed0a1dp-3, -0x1.0e87006cbe6bbp-6};
// clang-format on

}  // namespace quern::math::coefficients

#endif
