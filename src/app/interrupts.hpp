// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_INTERRUPTS_HPP
#define QUERN_APP_INTERRUPTS_HPP

namespace app {

/// From here on, SIGINT and SIGTERM remove the files that are not complete and end the program with the status 128 plus
/// the signal's number, whatever it is doing. A signal that was ignored when the program was started stays ignored.
void watch_interrupts();

}  // namespace app

#endif
