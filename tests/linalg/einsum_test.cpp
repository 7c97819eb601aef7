// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <quern/linalg/einsum.hpp>
#include <quern/linalg/matmul.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Einsum : testing::Test {
  using T = typename Case::value;
  using L = typename Case::layout;
  using E = typename Case::exec;
};
using cases = test::covering<std::int64_t, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Einsum, cases);

/// The definition: a loop over every letter.
template <class T>
std::vector<T> by_definition(const std::string& a_letters, const std::string& b_letters, const std::string& out_letters,
                             const std::map<char, std::int64_t>& extent, const std::vector<T>& a,
                             const std::vector<T>& b) {
  std::map<char, std::int64_t> at;
  const auto place = [&](const std::string& letters) {
    std::int64_t p = 0;
    for (const char c : letters) p = p * extent.at(c) + at[c];
    return p;
  };
  std::int64_t size = 1, all = 1;
  for (const char c : out_letters) size *= extent.at(c);
  for (const auto& [c, e] : extent) all *= e;
  std::vector<T> out(size, T(0));
  for (std::int64_t i = 0; i < all; ++i) {
    std::int64_t rest = i;
    for (const auto& [c, e] : extent) {
      at[c] = rest % e;
      rest /= e;
    }
    out[place(out_letters)] += a[place(a_letters)] * b[place(b_letters)];
  }
  return out;
}

/// Compares one set of subscripts with the definition; all numbers are exact.
template <quern::impl::einsum_text S, class Fixture, int RA, int RB, int RO>
void check(const std::string& a_letters, const std::string& b_letters, const std::string& out_letters) {
  using T = typename Fixture::T;
  using L = typename Fixture::L;
  using E = typename Fixture::E;
  const std::map<char, std::int64_t> sizes{{'b', 4}, {'i', 3}, {'j', 5}, {'k', 37}, {'l', 2}};
  std::map<char, std::int64_t> used;
  const auto extents = [&]<int R>(const std::string& letters, std::integral_constant<int, R>) {
    std::array<std::int64_t, R> e{};
    for (int d = 0; d < R; ++d) e[d] = used[letters[d]] = sizes.at(letters[d]);
    return e;
  };
  const auto size = [](const auto& e) {
    std::int64_t n = 1;
    for (const auto x : e) n *= x;
    return n;
  };
  const auto ea = extents(a_letters, std::integral_constant<int, RA>());
  const auto eb = extents(b_letters, std::integral_constant<int, RB>());
  const auto eo = extents(out_letters, std::integral_constant<int, RO>());
  const auto a = test::samples<T>(size(ea), 1), b = test::samples<T>(size(eb), 2);
  const auto va = test::make_array<T, RA, L, E>(ea, a);
  const auto vb = test::make_array<T, RB, L, E>(eb, b);
  const auto out = test::make_array<T, RO, L, E>(eo);
  quern::einsum<S>(E(), out, va, vb);
  EXPECT_EQ(by_definition(a_letters, b_letters, out_letters, used, a, b), test::contents(out))
      << a_letters << ',' << b_letters << "->" << out_letters;
}

TYPED_TEST(Einsum, MatchesTheDefinition) {
  check<"ik,kj->ij", TestFixture, 2, 2, 2>("ik", "kj", "ij");
  check<"ik,jk->ji", TestFixture, 2, 2, 2>("ik", "jk", "ji");
  check<"bik, bkj -> bij", TestFixture, 3, 3, 3>("bik", "bkj", "bij");
  check<"bik,kj->ijb", TestFixture, 3, 2, 3>("bik", "kj", "ijb");
  check<"ij,ij->ij", TestFixture, 2, 2, 2>("ij", "ij", "ij");
  check<"i,j->ij", TestFixture, 1, 1, 2>("i", "j", "ij");
  check<"ij,j->i", TestFixture, 2, 1, 1>("ij", "j", "i");
}

// What is no matrix product: several axes to add up that do not merge, diagonals, letters of one operand alone.
TYPED_TEST(Einsum, AnyAxesInAnyOrder) {
  check<"ikj,jlk->li", TestFixture, 3, 3, 2>("ikj", "jlk", "li");
  check<"ii,ij->j", TestFixture, 2, 2, 1>("ii", "ij", "j");
  check<"ijl,k->kj", TestFixture, 3, 1, 2>("ijl", "k", "kj");
  check<"ijk,kji->", TestFixture, 3, 3, 0>("ijk", "kji", "");
  check<"ijk,ijk->", TestFixture, 3, 3, 0>("ijk", "ijk", "");
  check<"ii,jj->", TestFixture, 2, 2, 0>("ii", "jj", "");
}

TYPED_TEST(Einsum, ImpliedOutput) {
  check<"kj,ik", TestFixture, 2, 2, 2>("kj", "ik", "ij");
  check<"i,i", TestFixture, 1, 1, 0>("i", "i", "");
}

TYPED_TEST(Einsum, ExtentsOfOneRepeatAndNoTermsGiveZero) {
  using T = typename TestFixture::T;
  using L = typename TestFixture::L;
  using E = typename TestFixture::E;
  const auto a = test::make_array<T, 2, L, E>({3, 1}, {T(1), T(2), T(3)});
  const auto b = test::make_array<T, 2, L, E>({4, 2}, test::samples<T>(8, 2));
  const auto out = test::make_array<T, 2, L, E>({3, 2});
  quern::einsum<"ik,kj->ij">(out, a, b);
  const auto v = test::contents(b);
  for (int i = 0; i < 6; ++i) {
    const int j = i % 2;
    EXPECT_EQ(T(i / 2 + 1) * (v[j] + v[2 + j] + v[4 + j] + v[6 + j]), test::contents(out)[i]);
  }
  const auto none = test::make_array<T, 2, L, E>({3, 0}), nothing = test::make_array<T, 2, L, E>({0, 2});
  quern::einsum<"ik,kj->ij">(out, none, nothing);
  EXPECT_EQ(std::vector<T>(6, T(0)), test::contents(out));
}

TYPED_TEST(Einsum, ReportsMisuse) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto array = [](std::int64_t p, std::int64_t q) {
    return test::make_array<T, 2, Kokkos::LayoutRight, E>({p, q});
  };
  const auto a = array(3, 4), b = array(5, 6), c = array(3, 6), square = array(4, 4);
  test::expect_error("quern::einsum: axes k have extents 4 and 5, expected equal ones or 1",
                     [&] { quern::einsum<"ik,kj->ij">(c, a, b); });
  test::expect_error("quern::einsum: out has extents (3, 6), expected (3, 4)",
                     [&] { quern::einsum<"ik,kj->ij">(c, a, square); });
  test::expect_error("quern::einsum: out and b share memory", [&] { quern::einsum<"ik,kj->ij">(a, array(3, 3), a); });
  test::expect_error("quern::einsum: out, a and b have ranks 2, 2 and 2, expected 1, 2 and 1",
                     [&] { quern::einsum<"ik,k->i">(c, a, b); });
}

}  // namespace
