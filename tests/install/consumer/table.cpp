#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/table.hpp>

// The component alone: a sum of a group, through a text.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<std::int64_t*> k("k", 3);
  Kokkos::deep_copy(x, 4.0);
  quern::Table t;
  t.insert("k", k).insert("x", x);
  const auto back = quern::parse_csv(quern::to_csv(t));
  const auto sums = back.group_by("k").aggregate({{"x", quern::statistic::sum}});
  const auto sum = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums.column<double>("x_sum"));
  std::printf("sum %g\n", sum(0));
}
