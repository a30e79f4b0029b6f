#!/usr/bin/env node
// The program of the built package: `social-publisher start` runs the service, everything else is a command.
"use strict"
require("./checkNode.cjs")
const { enableCompileCache } = require("node:module")

enableCompileCache()
void (process.argv[2] === "start" ? import("../service/main.js") : import("../cli/cli.js"))
