// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interrupts.hpp"

#include <unistd.h>

#include <csignal>
#include <quern/files/output_file.hpp>
#include <string_view>

#include "launcher.hpp"

namespace app {
namespace {

volatile std::sig_atomic_t says_interrupted = 0, erases_progress = 0;

void to_standard_error(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

/// Calls only what is async-signal-safe. Linux runs it on the main thread, which begins and names all files: none of
/// them appears after the others were removed.
void end_program(int signal) {
  if (erases_progress != 0) to_standard_error("\r\033[K");
  if (says_interrupted != 0) to_standard_error("quern: interrupted\n");
  quern::files::remove_unfinished();
  ::_exit(128 + signal);
}

}  // namespace

void watch_interrupts() {
  says_interrupted = launched_rank() == 0 ? 1 : 0;
  erases_progress = says_interrupted != 0 && ::isatty(STDERR_FILENO) != 0 ? 1 : 0;
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of writing
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU})
    if (std::signal(signal, end_program) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace app
