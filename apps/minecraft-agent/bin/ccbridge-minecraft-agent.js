#!/usr/bin/env node
// A separate file, so that package managers can link the command before the program is built.
import "../dist/main.js";
