import { Layer, Logger, Option, References } from "effect"
import type { Configuration } from "../config.ts"
import { jsonLine } from "./jsonLine.ts"
import { safeLogger } from "./safeLogger.ts"

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Logs as the configuration says; without a word on the format, for a person on a terminal and for a program elsewhere. */
export const logging = ({ logFormat, logLevel }: Configuration) => {
  const format = Option.getOrElse(logFormat, () => (process.stdout.isTTY ? "pretty" : "json"))
  return Layer.mergeAll(
    Logger.layer([safeLogger(format === "pretty" ? Logger.consolePretty() : Logger.withConsoleLog(jsonLine))]),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )
}
