// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_COEFFICIENTS_HPP
#define QUERN_SRC_MAP_COEFFICIENTS_HPP

// Written by tools/elementary_coefficients.py. The names that end in _single are for results in float.
// Those that end in _float are for float arithmetic.
namespace quern::math::coefficients {

// clang-format off
/// (exp(r) - 1 - r - r^2/2) / r^3; relative error 0.0063 * 2^-53.
inline constexpr double exp[] = {0x1.5555555555556p-3, 0x1.5555555555555p-5, 0x1.11111111109b3p-7, 0x1.6c16c16c167e1p-10, 0x1.a01a01a7c41d5p-13, 0x1.a01a01a47b054p-16, 0x1.71de0dae63bb3p-19, 0x1.27e4e1f48534fp-22, 0x1.af38a9b0ec855p-26, 0x1.1f66df7fca49fp-29};
/// (sin(r) - r) / r^3 of z = r^2; relative error 0.051 * 2^-53.
inline constexpr double sin[] = {-0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019936p-13, 0x1.71de3a54605eep-19, -0x1.ae64541266378p-26, 0x1.61217ec01749dp-33, -0x1.ab17a79237a19p-41};
/// (cos(r) - 1 + r^2/2) / r^4 of z = r^2; relative error 0.0074 * 2^-53.
inline constexpr double cos[] = {0x1.5555555555555p-5, -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16, -0x1.27e4fa17a41b4p-22, 0x1.1eeb68b109173p-29, -0x1.907d7aebd5e3dp-37};
/// exp(x^2) erfc(x) of t = (x - 3) / (x + 3); relative error 0.0059 * 2^-53.
inline constexpr double erfc[] = {0x1.6e9827d229d2dp-3, -0x1.4e102b9cf8514p-2, 0x1.f6ff2041059b2p-3, -0x1.336ffbef088a4p-3, 0x1.258b13b01385ep-4, -0x1.8fa58eb656d90p-6, 0x1.17c838fb9c626p-8, 0x1.7310210f66843p-11, -0x1.390855dff802dp-11, 0x1.7b9d782eb976bp-15, 0x1.0caf8038049c2p-14, -0x1.aedf20e97dd07p-17, -0x1.0c2161e4a8af6p-17, 0x1.0c9ed93113d48p-19, 0x1.4a430390be928p-20};
/// (exp(r) - 1 - r - r^2/2) / r^3; relative error 2.8e+6 * 2^-53.
inline constexpr double exp_single[] = {0x1.5555555555555p-3, 0x1.5555192d5f5dep-5, 0x1.1110f656b73fcp-7, 0x1.6d11093a17fd8p-10, 0x1.a0f86c84449cdp-13};
/// (sin(r) - r) / r^3 of z = r^2; relative error 1.5e+5 * 2^-53.
inline constexpr double sin_single[] = {-0x1.555555545dd83p-3, 0x1.11110deeb33b2p-7, -0x1.a013a6edc8f34p-13, 0x1.6dbdd26f56d2dp-19};
/// (cos(r) - 1 + r^2/2) / r^4 of z = r^2; relative error 6.7e+6 * 2^-53.
inline constexpr double cos_single[] = {0x1.555554414e3a6p-5, -0x1.6c12d2887c343p-10, 0x1.9bd86445fb99bp-16};
/// exp(x^2) erfc(x) of t = (x - 3) / (x + 3); relative error 5.5e+3 * 2^-53.
inline constexpr double erfc_single[] = {0x1.6e9827d246f71p-3, -0x1.4e102b9e34f04p-2, 0x1.f6ff20143e84dp-3, -0x1.336ffaafe9704p-3, 0x1.258b2a2e5fb0ap-4, -0x1.8fa6e4ddec22fp-6, 0x1.17a7e77e6a988p-8, 0x1.753293d349bf2p-11, -0x1.2f580eab1be4cp-11, 0x1.bfff9748d07fdp-16};
/// (asin(s) - s) / s^3 of z = s^2; relative error 0.048 * 2^-53.
inline constexpr double asin[] = {0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7, 0x1.d72b2bc8155f8p-6};
/// (erf(x) - x 2/sqrt(pi)) / x^3 of z = x^2; relative error 0.041 * 2^-53.
inline constexpr double erf[] = {-0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b23p-6, 0x1.565bcd0e68ad5p-8, -0x1.c02db3ff463acp-11, 0x1.f9a326a30b804p-14, -0x1.f4d24985e2549p-17, 0x1.b9e42ffa1c896p-20, -0x1.5f388dd3d0162p-23, 0x1.f618f5988849ep-27, -0x1.1af26d774897cp-30};
/// (erf(1 + d) - erf(1)) / d; relative error 0.095 * 2^-53.
inline constexpr double erf_one[] = {0x1.a911f096fbc26p-2, -0x1.a911f096fbc26p-2, 0x1.1b614b0f52848p-3, 0x1.1b614b0f52827p-4, -0x1.1b614b0f566fap-4, 0x1.2e45a565a3c49p-8, 0x1.f096fd78354bbp-7, -0x1.391146b9273c3p-8, -0x1.ee30e1a352ec5p-10, 0x1.4176c2fe4769bp-10, 0x1.66bf78ef3491bp-14, -0x1.a38b1fb8234f3p-13, 0x1.38aead983b097p-16, 0x1.8d89d22d5c0a4p-16, -0x1.549de9b70f501p-18, -0x1.0f3d9028339b7p-19};
/// (erf(x) - x 2/sqrt(pi)) / x^3 of z = x^2; relative error 1.2e+5 * 2^-53.
inline constexpr double erf_single[] = {-0x1.812746af98ac8p-2, 0x1.ce2f1ff8db533p-4, -0x1.b82c2bd066651p-6, 0x1.563eb0208d3b9p-8, -0x1.bbf87f513a212p-11, 0x1.b0c97dba84decp-14};
/// (erf(1 + d) - erf(1)) / d; relative error 1.5e+6 * 2^-53.
inline constexpr double erf_one_single[] = {0x1.a911f096fbc26p-2, -0x1.a911f136ca9f6p-2, 0x1.1b614af6abf43p-3, 0x1.1b625b19751ddp-4, -0x1.1b613625ad357p-4, 0x1.2c50378bc0b4ep-8, 0x1.f083e30fd904dp-7, -0x1.238e81e1981ecp-8, -0x1.e7c528458b14bp-10};
/// (log(1 + r) / r - 1) / r; relative error 0.11 * 2^-24.
inline constexpr float log_float[] = {-0x1.0000020000000p-1f, 0x1.5555aa0000000p-2f, -0x1.fffdf00000000p-3f, 0x1.99643e0000000p-3f, -0x1.552a0a0000000p-3f, 0x1.292c440000000p-3f, -0x1.0c44e60000000p-3f, 0x1.a0b1500000000p-4f, -0x1.5c5d6c0000000p-5f};
/// (log2(1 + r) / r - log2(e)) / r; relative error 0.084 * 2^-24.
inline constexpr float log2_float[] = {-0x1.7154700000000p-1f, 0x1.ec70a00000000p-2f, -0x1.715aca0000000p-2f, 0x1.277bfa0000000p-2f, -0x1.eaac800000000p-3f, 0x1.a354760000000p-3f, -0x1.8811860000000p-3f, 0x1.7b9cea0000000p-3f, -0x1.baabaa0000000p-4f};
/// atan(t) / t - 1 of t^2 - 7/16; relative error 0.062 * 2^-24.
inline constexpr float atan_float[] = {-0x1.dd394a0000000p-4f, -0x1.b7a6000000000p-3f, 0x1.76b05a0000000p-4f, -0x1.78cf320000000p-5f, 0x1.9af4180000000p-6f, -0x1.d4cb580000000p-7f, 0x1.12edfc0000000p-7f, -0x1.60df2e0000000p-8f, 0x1.ed29fe0000000p-9f, -0x1.b387e40000000p-10f};
/// (asin(s) - s) / s^3 of z = s^2; relative error 0.086 * 2^-24.
inline constexpr float asin_float[] = {0x1.5555ca0000000p-3f, 0x1.3301ac0000000p-4f, 0x1.74808c0000000p-5f, 0x1.8c25380000000p-6f, 0x1.59652c0000000p-5f};
/// (exp(r) - 1 - r) / r^2; relative error 0.062 * 2^-24.
inline constexpr float exp_float[] = {0x1.fffff80000000p-2f, 0x1.55548e0000000p-3f, 0x1.555b960000000p-5f, 0x1.123bd00000000p-7f, 0x1.6853520000000p-10f};
/// (exp(r) - 1 - r) / r^2; relative error 0.0079 * 2^-24.
inline constexpr float expm1_float[] = {0x1.0000000000000p-1f, 0x1.5555540000000p-3f, 0x1.5554f00000000p-5f, 0x1.1113080000000p-7f, 0x1.6d436a0000000p-10f, 0x1.9e076c0000000p-13f};
/// (2^f - 1 - f ln(2)) / f^2; relative error 0.063 * 2^-24.
inline constexpr float exp2_float[] = {0x1.ebfbd80000000p-3f, 0x1.c6af840000000p-5f, 0x1.3b30b20000000p-7f, 0x1.5f06540000000p-10f, 0x1.3f8e340000000p-13f};
/// (sinh(r) - r) / r^3 of z = r^2; relative error 0.00089 * 2^-24.
inline constexpr float sinh_float[] = {0x1.5555560000000p-3f, 0x1.110fe00000000p-7f, 0x1.a293ce0000000p-13f};
/// (cosh(r) - 1) / r^2 of z = r^2; relative error 0.0017 * 2^-24.
inline constexpr float cosh_float[] = {0x1.0000000000000p-1f, 0x1.5554e40000000p-5f, 0x1.6d514e0000000p-10f};
/// (tanh(t) - t) / t^3 of z = t^2; relative error 0.085 * 2^-24.
inline constexpr float tanh_float[] = {-0x1.55553a0000000p-2f, 0x1.110b9c0000000p-3f, -0x1.b95b520000000p-5f, 0x1.5fe2240000000p-6f, -0x1.03ecb80000000p-7f, 0x1.2c53840000000p-9f, -0x1.74db720000000p-12f};
/// atan(t) / t - 1 of t^2 - 7/16; relative error 0.081 * 2^-53.
inline constexpr double atan[] = {-0x1.dd3949b590129p-4, -0x1.b7a6059511d8cp-3, 0x1.76b06734893c2p-4, -0x1.78c9a87ebd84dp-5, 0x1.9adf9aec62d62p-6, -0x1.d63f0f7646270p-7, 0x1.15e9c1ec6b65dp-7, -0x1.5025af9e6cea0p-8, 0x1.9dae74faecd45p-9, -0x1.020138602445cp-9, 0x1.4551e946d6485p-10, -0x1.9dd8d89f302f9p-11, 0x1.092fde11bd33fp-11, -0x1.55f3704aea701p-12, 0x1.bb2cb3d41f96fp-13, -0x1.210337f2d5e55p-13, 0x1.7c5ac254523a4p-14, -0x1.eea2cdd38c2c8p-15, 0x1.3280951c4a65cp-15, -0x1.9d523063a7d7ep-16, 0x1.69b775eaa9d30p-16, -0x1.0b9107a1471b4p-16, 0x1.6bf85b08ece14p-18};
/// (sinh(r) - r) / r^3 of z = r^2; relative error 0.018 * 2^-53.
inline constexpr double sinh[] = {0x1.5555555555556p-3, 0x1.11111111109b3p-7, 0x1.a01a01a7c41d5p-13, 0x1.71de0dae63bb3p-19, 0x1.af38a9b0ec855p-26};
/// (cosh(r) - 1) / r^2 of z = r^2; relative error 0.0002 * 2^-53.
inline constexpr double cosh[] = {0x1.0000000000000p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a68p-10, 0x1.a01a01a9e991bp-16, 0x1.27e4d41966f2fp-22, 0x1.1f7f2776cfaf2p-29};
/// 1/c.
inline constexpr double log_inverse[] = {0x1.6800000000000p+0, 0x1.6000000000000p+0, 0x1.5800000000000p+0, 0x1.5000000000000p+0, 0x1.4800000000000p+0, 0x1.4000000000000p+0, 0x1.3800000000000p+0, 0x1.3800000000000p+0, 0x1.3000000000000p+0, 0x1.2800000000000p+0, 0x1.2800000000000p+0, 0x1.2000000000000p+0, 0x1.1800000000000p+0, 0x1.1800000000000p+0, 0x1.1000000000000p+0, 0x1.1000000000000p+0, 0x1.0800000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.f000000000000p-1, 0x1.e000000000000p-1, 0x1.d800000000000p-1, 0x1.c800000000000p-1, 0x1.b800000000000p-1, 0x1.b000000000000p-1, 0x1.a800000000000p-1, 0x1.9800000000000p-1, 0x1.9000000000000p-1, 0x1.8800000000000p-1, 0x1.8000000000000p-1, 0x1.7800000000000p-1, 0x1.7000000000000p-1};
/// log(c), multiples of 2^-42.
inline constexpr double log_head[] = {-0x1.5d1bdbf581000p-2, -0x1.4618bc21c6000p-2, -0x1.2e8e2bae12000p-2, -0x1.1675cababa000p-2, -0x1.fb9186d5e4000p-3, -0x1.c8ff7c79aa000p-3, -0x1.9525a9cf46000p-3, -0x1.9525a9cf46000p-3, -0x1.5ff3070a7a000p-3, -0x1.29552f8200000p-3, -0x1.29552f8200000p-3, -0x1.e27076e2b0000p-4, -0x1.6f0d28ae58000p-4, -0x1.6f0d28ae58000p-4, -0x1.f0a30c0118000p-5, -0x1.f0a30c0118000p-5, -0x1.f829b0e780000p-6, 0x0.0p+0, 0x0.0p+0, 0x1.0415d89e78000p-5, 0x1.08598b59e4000p-4, 0x1.4d3115d208000p-4, 0x1.da72763844000p-4, 0x1.365fcb015a000p-3, 0x1.5bf406b544000p-3, 0x1.823c16551a000p-3, 0x1.d1037f2656000p-3, 0x1.f991c6cb3c000p-3, 0x1.1178e8227e000p-2, 0x1.269621134e000p-2, 0x1.3c25277333000p-2, 0x1.522ae0738a000p-2};
/// What they lack.
inline constexpr double log_tail[] = {0x1.8d6bdc9c7c238p-44, 0x1.3d82f484c84ccp-46, 0x1.67b1e99b72bd8p-45, -0x1.8380e731f55c4p-44, 0x1.d572aab993c87p-47, 0x1.7794f689f8434p-45, 0x1.297137d9f158fp-44, 0x1.297137d9f158fp-44, 0x1.8586f183bebf2p-44, 0x1.5b967f4471dfcp-44, 0x1.5b967f4471dfcp-44, 0x1.a342c2af0003cp-45, 0x1.4b4641b664613p-44, 0x1.4b4641b664613p-44, 0x1.d599e83368e91p-45, 0x1.d599e83368e91p-45, -0x1.980267c7e09e4p-45, 0x0.0p+0, 0x0.0p+0, -0x1.dddc7f461c516p-44, -0x1.7e5dd7009902cp-46, -0x1.53a2582f4e1efp-48, 0x1.a89401fa71733p-46, -0x1.fd3a0afb9691bp-44, -0x1.27023eb68981cp-46, 0x1.e0ddb9a631e83p-46, -0x1.84a7e75b6f6e4p-47, -0x1.90d04cd7cc834p-44, 0x1.1ef78ce2d07f2p-44, -0x1.1b61f10522625p-44, 0x1.83b54b606bd5cp-46, 0x1.ebe708164c759p-45};
/// log2(c), multiples of 2^-42.
inline constexpr double log2_head[] = {-0x1.f7a8568cb0000p-2, -0x1.d6753e032f000p-2, -0x1.b47ebf7388000p-2, -0x1.91bba891f1000p-2, -0x1.6e221cd9d1000p-2, -0x1.49a784bcd2000p-2, -0x1.24407ab0e0000p-2, -0x1.24407ab0e0000p-2, -0x1.fbc16b9026000p-3, -0x1.acf5e2db4e000p-3, -0x1.acf5e2db4e000p-3, -0x1.5c01a39fbe000p-3, -0x1.08c588cda8000p-3, -0x1.08c588cda8000p-3, -0x1.663f6fac90000p-4, -0x1.663f6fac90000p-4, -0x1.6bad3758f0000p-5, 0x0.0p+0, 0x0.0p+0, 0x1.77394c9d98000p-5, 0x1.7d60496cfc000p-4, 0x1.e0b1ae8f30000p-4, 0x1.563dc29ffa000p-3, 0x1.bfc67a8000000p-3, 0x1.f5fd8a9064000p-3, 0x1.169c05363f000p-2, 0x1.4f6fbb2cec000p-2, 0x1.6cb0f6865d000p-2, 0x1.8a8980abfc000p-2, 0x1.a8ff971811000p-2, 0x1.c819dc2d46000p-2, 0x1.e7df5fe539000p-2};
/// What they lack.
inline constexpr double log2_tail[] = {-0x1.b3b3864c60011p-44, 0x1.7c407050799bfp-44, -0x1.50520a377c7ecp-45, -0x1.c22d2cad415aep-44, 0x1.90d43956fa5d8p-45, 0x1.1d406db502403p-44, -0x1.ce60916e52e91p-44, -0x1.ce60916e52e91p-44, -0x1.0144751b3314fp-44, -0x1.927dfc23d9780p-44, -0x1.927dfc23d9780p-44, 0x1.2f0c0bfe9dbecp-44, 0x1.871a7610e40bdp-45, 0x1.871a7610e40bdp-45, -0x1.3167ccc538261p-44, -0x1.3167ccc538261p-44, 0x1.3c6764fc87b4ap-48, 0x0.0p+0, 0x0.0p+0, -0x1.395510d1e3f81p-44, -0x1.2ce6312ebb81dp-46, -0x1.54cda62d3926ep-47, 0x1.964190e41bca7p-44, -0x1.667f21fa8423fp-44, -0x1.cb6f70109b0f1p-47, 0x1.5872350f805d6p-46, 0x1.661e393a16b95p-44, -0x1.c57f2495fb7fap-44, -0x1.66cccab240e90p-45, -0x1.6879fa00b120ap-44, -0x1.bc76a2753b99bp-50, -0x1.532c412ba94dbp-44};
/// The same in float, of which the first part of log(c) is a multiple of 2^-15.
inline constexpr float log_inverse_float[] = {0x1.6800000000000p+0f, 0x1.6000000000000p+0f, 0x1.5800000000000p+0f, 0x1.5000000000000p+0f, 0x1.4800000000000p+0f, 0x1.4000000000000p+0f, 0x1.3800000000000p+0f, 0x1.3800000000000p+0f, 0x1.3000000000000p+0f, 0x1.2800000000000p+0f, 0x1.2800000000000p+0f, 0x1.2000000000000p+0f, 0x1.1800000000000p+0f, 0x1.1800000000000p+0f, 0x1.1000000000000p+0f, 0x1.1000000000000p+0f, 0x1.0800000000000p+0f, 0x1.0000000000000p+0f, 0x1.0000000000000p+0f, 0x1.f000000000000p-1f, 0x1.e000000000000p-1f, 0x1.d800000000000p-1f, 0x1.c800000000000p-1f, 0x1.b800000000000p-1f, 0x1.b000000000000p-1f, 0x1.a800000000000p-1f, 0x1.9800000000000p-1f, 0x1.9000000000000p-1f, 0x1.8800000000000p-1f, 0x1.8000000000000p-1f, 0x1.7800000000000p-1f, 0x1.7000000000000p-1f};
/// log(c).
inline constexpr float log_head_float[] = {-0x1.5d18000000000p-2f, -0x1.4618000000000p-2f, -0x1.2e90000000000p-2f, -0x1.1678000000000p-2f, -0x1.fb90000000000p-3f, -0x1.c900000000000p-3f, -0x1.9520000000000p-3f, -0x1.9520000000000p-3f, -0x1.5ff0000000000p-3f, -0x1.2950000000000p-3f, -0x1.2950000000000p-3f, -0x1.e280000000000p-4f, -0x1.6f00000000000p-4f, -0x1.6f00000000000p-4f, -0x1.f0c0000000000p-5f, -0x1.f0c0000000000p-5f, -0x1.f800000000000p-6f, 0x0.0p+0f, 0x0.0p+0f, 0x1.0400000000000p-5f, 0x1.0860000000000p-4f, 0x1.4d40000000000p-4f, 0x1.da80000000000p-4f, 0x1.3660000000000p-3f, 0x1.5bf0000000000p-3f, 0x1.8240000000000p-3f, 0x1.d100000000000p-3f, 0x1.f990000000000p-3f, 0x1.1178000000000p-2f, 0x1.2698000000000p-2f, 0x1.3c28000000000p-2f, 0x1.5228000000000p-2f};
/// What they lack.
inline constexpr float log_tail_float[] = {-0x1.edfac00000000p-17f, -0x1.78438c0000000p-19f, 0x1.d451ee0000000p-18f, 0x1.1aa2a20000000p-17f, -0x1.86d5e40000000p-19f, 0x1.070cac0000000p-20f, -0x1.6a73d20000000p-17f, -0x1.6a73d20000000p-17f, -0x1.83853c0000000p-18f, -0x1.4be0800000000p-17f, -0x1.4be0800000000p-17f, 0x1.f123aa0000000p-17f, -0x1.a515ca0000000p-17f, -0x1.a515ca0000000p-17f, 0x1.cf3fee0000000p-17f, 0x1.cf3fee0000000p-17f, -0x1.4d873c0000000p-17f, 0x0.0p+0f, 0x0.0p+0f, 0x1.5d89e80000000p-17f, -0x1.9d29880000000p-18f, -0x1.dd45c00000000p-17f, -0x1.b138f80000000p-17f, -0x1.a7f5380000000p-22f, 0x1.01ad500000000p-17f, -0x1.f4d5720000000p-18f, 0x1.bf932a0000000p-18f, 0x1.c6cb3c0000000p-19f, 0x1.d044fc0000000p-19f, -0x1.deecb20000000p-18f, -0x1.6c46660000000p-17f, 0x1.7039c60000000p-17f};
/// 2^(j/16), with j 2^48 taken from the bits.
inline constexpr double exp_root[] = {0x1.0000000000000p+0, 0x1.fb5586cf9890fp-1, 0x1.f72b83c7d517bp-1, 0x1.f387a6e756238p-1, 0x1.f06fe0a31b715p-1, 0x1.edea64c123422p-1, 0x1.ebfdad5362a27p-1, 0x1.eab07dd485429p-1, 0x1.ea09e667f3bcdp-1, 0x1.ea11473eb0187p-1, 0x1.eace5422aa0dbp-1, 0x1.ec49182a3f090p-1, 0x1.ee89f995ad3adp-1, 0x1.f199bdd85529cp-1, 0x1.f5818dcfba487p-1, 0x1.fa4afa2a490dap-1};
/// What they lack, relative to them.
inline constexpr double exp_root_tail[] = {0x0.0p+0, 0x1.79aa65d837b6cp-54, -0x1.01b15eaa59348p-55, 0x1.68efde3a8a893p-54, 0x1.34d754db0abb6p-55, 0x1.59f48a72a4c6cp-55, 0x1.690cebb7aafb0p-56, 0x1.063e1e21c5409p-54, -0x1.3b3efbf5e2229p-54, -0x1.b32dcb94da51dp-56, 0x1.db72fc1f0eab4p-55, 0x1.1affc2b91ce27p-56, 0x1.c1a7792cb3386p-55, 0x1.36eae30af0cb3p-56, 0x1.4a385a63d07a7p-56, -0x1.ff7128fd391f1p-55};
/// c.
inline constexpr double atan_tangent[] = {0x0.0p+0, 0x1.5ffa8a6800ce0p-4, 0x1.9ff9911659cf3p-4, 0x1.dff89a1f5abb9p-4, 0x1.1fee5a6b21a62p-3, 0x1.5feaa2dc6155ep-3, 0x1.9fe7092e9e6e0p-3, 0x1.dfe3918112386p-3, 0x1.1fbd557008da1p-2, 0x1.5fb15c69eefa1p-2, 0x1.9fa6cbfab8d7fp-2, 0x1.df9dae8d137d6p-2, 0x1.1f25b706bd3c1p-1, 0x1.5f1167ff8f6abp-1, 0x1.9f05c6b1cf2d0p-1, 0x1.df00d09ab1279p-1, 0x1.1e05147de38c8p+0, 0x1.5e19d20a802cap+0, 0x1.9e3779b97f5f8p+0, 0x1.de5722d963cb2p+0, 0x1.1d09381188c39p+1, 0x1.5d6ecfe1d87ffp+1, 0x1.9dc09dc3cc74ap+1, 0x1.de0243f45fa44p+1, 0x1.1c9d18decb2f0p+2, 0x1.5d2f4a3998983p+2, 0x1.9d987fb8cc727p+2, 0x1.dde7727cc0dc6p+2, 0x1.1c7d036cac11cp+3, 0x1.5d1d6d54f92d6p+3, 0x1.9d8d932272048p+3, 0x1.d02967c31cdb5p+53};
/// atan(c).
inline constexpr double atan_angle[] = {0x0.0p+0, 0x1.5f1db9a3fa3ffp-4, 0x1.9e8db7239032fp-4, 0x1.ddcacac8d9cb5p-4, 0x1.1e0e61b0e3db3p-3, 0x1.5c8351a4a5ecfp-3, 0x1.9a5294f3066c5p-3, 0x1.d7626a5df712ep-3, 0x1.1881919cf1e1ep-2, 0x1.52c483c76657dp-2, 0x1.8ad8402d881edp-2, 0x1.c08aae496f0cfp-2, 0x1.05b1f9747ef11p-1, 0x1.33bcda782cf4dp-1, 0x1.5cc1bb44f734dp-1, 0x1.811518cde3a94p-1, 0x1.ae73bd5e4547ap-1, 0x1.e0fc41503333bp-1, 0x1.0468a8ace4e53p+0, 0x1.145385fa3af9bp+0, 0x1.26127862b06e9p+0, 0x1.383c2727269a9p+0, 0x1.4551433f007e9p+0, 0x1.4f24ec8c21380p+0, 0x1.597ffd521f2bdp+0, 0x1.63b7dbc70f17ep+0, 0x1.6ad26efb8fffap+0, 0x1.700b293276824p+0, 0x1.7572e6b57b59ap+0, 0x1.7ab964cedcfbdp+0, 0x1.7e5abbb1b30ecp+0, 0x1.921fb54442d18p+0};
/// c.
inline constexpr float atan_tangent_float[] = {0x0.0p+0f, 0x1.5ffb320000000p-4f, 0x1.9ff9960000000p-4f, 0x1.dff9f20000000p-4f, 0x1.1fee9c0000000p-3f, 0x1.5feabe0000000p-3f, 0x1.9feb5a0000000p-3f, 0x1.dfe3a20000000p-3f, 0x1.1fc49a0000000p-2f, 0x1.5fb1ee0000000p-2f, 0x1.9fa7da0000000p-2f, 0x1.df9e060000000p-2f, 0x1.1f26600000000p-1f, 0x1.5f11760000000p-1f, 0x1.9f069c0000000p-1f, 0x1.df04660000000p-1f, 0x1.1e061a0000000p+0f, 0x1.5e19ea0000000p+0f, 0x1.9e38080000000p+0f, 0x1.de59080000000p+0f, 0x1.1d09ba0000000p+1f, 0x1.5d6f280000000p+1f, 0x1.9dc1200000000p+1f, 0x1.de03200000000p+1f, 0x1.1c9e880000000p+2f, 0x1.5d33340000000p+2f, 0x1.9d98a00000000p+2f, 0x1.dde8b60000000p+2f, 0x1.1c87620000000p+3f, 0x1.5d262c0000000p+3f, 0x1.9d942a0000000p+3f, -0x1.5d14940000000p+24f};
/// atan(c).
inline constexpr float atan_angle_float[] = {0x0.0p+0f, 0x1.5f1e600000000p-4f, 0x1.9e8dbc0000000p-4f, 0x1.ddcc1e0000000p-4f, 0x1.1e0ea20000000p-3f, 0x1.5c836c0000000p-3f, 0x1.9a56ba0000000p-3f, 0x1.d7627a0000000p-3f, 0x1.18884e0000000p-2f, 0x1.52c5060000000p-2f, 0x1.8ad9280000000p-2f, 0x1.c08af60000000p-2f, 0x1.05b27a0000000p-1f, 0x1.33bce40000000p-1f, 0x1.5cc23c0000000p-1f, 0x1.8117020000000p-1f, 0x1.ae74a60000000p-1f, 0x1.e0fc520000000p-1f, 0x1.0468d00000000p+0f, 0x1.1453f20000000p+0f, 0x1.2612a40000000p+0f, 0x1.383c3c0000000p+0f, 0x1.45515a0000000p+0f, 0x1.4f250a0000000p+0f, 0x1.5980440000000p+0f, 0x1.63b85e0000000p+0f, 0x1.6ad2720000000p+0f, 0x1.700b400000000p+0f, 0x1.7573f00000000p+0f, 0x1.7ab9fa0000000p+0f, 0x1.7e5b0c0000000p+0f, 0x1.921fb60000000p+0f};
/// (sin(r) - r) / r^3 of z = r^2; relative error 0.0032 * 2^-24.
inline constexpr float sin_float[] = {-0x1.5555560000000p-3f, 0x1.1111660000000p-7f, -0x1.a04a800000000p-13f, 0x1.7869fe0000000p-19f};
/// (cos(r) - 1 + r^2/2) / r^4 of z = r^2; relative error 0.0018 * 2^-24.
inline constexpr float cos_float[] = {0x1.55554a0000000p-5f, -0x1.6c0c2e0000000p-10f, 0x1.99eace0000000p-16f};
/// (tan(r) - r) / r^3 of z = r^2; relative error 0.022 * 2^-24.
inline constexpr float tan_float[] = {0x1.5555600000000p-2f, 0x1.110da80000000p-3f, 0x1.bad7320000000p-5f, 0x1.5cdf620000000p-6f, 0x1.6221c00000000p-7f, 0x1.0582a60000000p-13f, 0x1.1db39e0000000p-8f};
/// (atan(t) - t) / t^3 of z = t^2; relative error 0.065 * 2^-53.
inline constexpr double atan_rest[] = {-0x1.555555555553fp-2, 0x1.999999993f17dp-3, -0x1.24924754eb34cp-3, 0x1.c715f2018602cp-4, -0x1.6f98d32d8acbep-4};
/// (atan(t) - t) / t^3 of z = t^2; relative error 0.021 * 2^-24.
inline constexpr float atan_rest_float[] = {-0x1.5554ba0000000p-2f, 0x1.971cba0000000p-3f};
/// (log(1 + r) - r) / r^2; relative error 0.019 * 2^-53.
inline constexpr double log_of_table[] = {-0x1.fffffffffffffp-2, 0x1.5555555555554p-2, -0x1.0000000013038p-2, 0x1.99999999bc2bcp-3, -0x1.5555501fe6d18p-3, 0x1.24924468585f9p-3, -0x1.003a7053f01fep-3, 0x1.c786b2a41dd27p-4};
/// (log2(1 + r) - r log2(e)) / r^2; relative error 0.016 * 2^-53.
inline constexpr double log2_of_table[] = {-0x1.71547652b82fdp-1, 0x1.ec709dc3a03fcp-2, -0x1.71547652d39e4p-2, 0x1.2776c50f12affp-2, -0x1.ec70963fe4033p-3, 0x1.a6175bd2ce80ap-3, -0x1.71a8c58393816p-3, 0x1.4897b91e3a088p-3};
/// -2 (log(1 + r) - r + r^2/2) / r^3; relative error 0.00019 * 2^-53.
inline constexpr double pow_log[] = {-0x1.5555555555555p-1, 0x1.ffffffffffff6p-2, -0x1.9999999999990p-2, 0x1.5555555590c24p-2, -0x1.24924924c9240p-2, 0x1.fffff44775d57p-3, -0x1.c71c66f55a68fp-3, 0x1.9a072e66a9ca3p-3, -0x1.74c23e5f41a0dp-3};
/// (log(1 + r) - r + r^2/2) / r^3; relative error 1.7e-5 * 2^-24.
inline constexpr float pow_log_float[] = {0x1.5555540000000p-2f, -0x1.fffffe0000000p-3f, 0x1.99d4880000000p-3f, -0x1.5586640000000p-3f};
/// (exp(r) - 1 - r) / r^2; relative error 0.00038 * 2^-53.
inline constexpr double pow_exp[] = {0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.55555554daa4ap-5, 0x1.11111110da89ap-7, 0x1.6c1800f580502p-10, 0x1.a01b1da862af4p-13};
/// 1/c for results in float.
inline constexpr double short_inverse[] = {0x1.642c800000000p+0, 0x1.5555500000000p+0, 0x1.47ae100000000p+0, 0x1.3b13b00000000p+0, 0x1.2f68500000000p+0, 0x1.2492500000000p+0, 0x1.1a7b900000000p+0, 0x1.1111100000000p+0, 0x1.0842100000000p+0, 0x1.0000000000000p+0, 0x1.e1e1e00000000p-1, 0x1.c71c800000000p-1, 0x1.af28600000000p-1, 0x1.9999a00000000p-1, 0x1.8618600000000p-1, 0x1.745d200000000p-1};
/// log2(c).
inline constexpr double short_log2[] = {-0x1.e7df48cff117ep-2, -0x1.a8ff8002c9129p-2, -0x1.6cb0e253bdf2cp-2, -0x1.32bfe871bd0a6p-2, -0x1.f5fdb2f5a08dap-3, -0x1.8a89c5ebd132fp-3, -0x1.22da9cb02e44ap-3, -0x1.7d603257b4441p-4, -0x1.773935884e226p-5, 0x0.0p+0, 0x1.663f86c1d8a22p-4, 0x1.5c01474aa1452p-3, 0x1.fbc1bc5aa17d8p-3, 0x1.49a76da78a81bp-2, 0x1.91bbae57434ccp-2, 0x1.d6751b6343f11p-2};
/// log2(1 + r) / r; relative error 3.9e+4 * 2^-53.
inline constexpr double short_log2_rest[] = {0x1.71547652befb7p+0, -0x1.71547652c4144p-1, 0x1.ec7096315613bp-2, -0x1.71546fb2a98a4p-2, 0x1.27c6be1247241p-2, -0x1.ecfc926b9918ap-3};
/// (2^f - 1) / f; relative error 2.0e+7 * 2^-53.
inline constexpr double short_exp2[] = {0x1.62e42fefa39efp-1, 0x1.ebff917b28217p-3, 0x1.c6b299bd67a41p-5};
// clang-format on

}  // namespace quern::math::coefficients

#endif
