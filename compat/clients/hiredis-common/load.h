/* The load task, through the slot map of examples/hiredis. */
#ifndef LOAD_H
#define LOAD_H

#include "program.h"

void load(const struct task *task);

#endif
