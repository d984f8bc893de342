#!/usr/bin/env node
import "@ccbridge/bridge/main";
