// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ranks.hpp"

namespace bench {

ranks::ranks(int&, char**&) {}
ranks::~ranks() = default;
int ranks::count() { return 1; }
bool ranks::reports() { return true; }
double ranks::most(double x) { return x; }

}  // namespace bench
