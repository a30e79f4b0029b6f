import { Console, Duration, Effect, Stdio, Stream } from "effect"
import {
  describeProgress,
  pacedDisplay,
  type Progress,
  ProgressDisplay,
  progressLine,
  shareOf,
  withTitle
} from "../domain/progress.ts"

/** The times for a line that is rewritten on a terminal, and for separate lines. */
const rewritten = { first: Duration.millis(500), interval: Duration.millis(200) }
const listed = { first: Duration.seconds(5), interval: Duration.seconds(5) }

const widestBar = 30

const usualColumns = 80

const clearLine = "\r\u001B[2K"

/** Returns a bar with a description, the description alone, or only its beginning, as space permits. */
export const formatBar = (progress: Progress, elapsed: Duration.Duration, columns: number): string => {
  // The last column stays empty, because some terminals wrap after it.
  const room = columns - 1
  const share = shareOf(progress)
  const descriptions = describeProgress(progress, elapsed)
  // The width does not depend on the text, so that it stays the same while the text changes.
  const width = Math.min(widestBar, Math.floor(room / 4))
  const filled = Math.floor((share ?? 0) * width)
  const bar = `${progress.title} [${"#".repeat(filled)}${".".repeat(width - filled)}] ${descriptions[0]}`
  const lines = descriptions.map((description) => withTitle(progress, description))
  if (share !== null && bar.length <= room) return bar
  return (lines.find((line) => line.length <= room) ?? descriptions.at(-1) ?? "").slice(0, room)
}

const lineDisplay = pacedDisplay(listed, (progress, elapsed) => Console.error(progressLine(progress, elapsed)))

const onTerminal = Effect.fnUntraced(function* <A, E, R>(program: Effect.Effect<A, E, R>) {
  const stdio = yield* Stdio.Stdio
  const console = yield* Console.Console
  let isShown = false
  const write = (text: string) =>
    Effect.ignore(Stream.run(Stream.make(`${clearLine}${text}`), stdio.stderr({ endOnDone: false })))
  const clear = Effect.suspend(() => {
    if (!isShown) return Effect.void
    isShown = false
    return write("")
  })
  const display = pacedDisplay(rewritten, (progress, elapsed) =>
    Effect.suspend(() => {
      isShown = true
      return write(formatBar(progress, elapsed, process.stderr.columns || usualColumns))
    })
  )
  const error = (...lines: ReadonlyArray<unknown>) => {
    console.error(...(isShown ? [`${clearLine}${lines.join(" ")}`] : lines))
    isShown = false
  }
  return yield* program.pipe(
    Effect.provideService(ProgressDisplay, (read) =>
      Effect.andThen(
        Effect.addFinalizer(() => clear),
        display(read)
      )
    ),
    // oxlint-disable-next-line typescript/no-misused-spread -- A console's methods are its own, not its prototype's.
    Effect.provideService(Console.Console, { ...console, error })
  )
})

/** Shows a bar on a terminal; elsewhere, a line every few seconds. Shows nothing with `--json`, which scripts use. */
export const showProgress =
  (args: ReadonlyArray<string>) =>
  <A, E, R>(program: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      if (args.includes("--json")) return yield* program
      const { stderrIsTerminal } = yield* Stdio.Stdio
      return yield* (yield* stderrIsTerminal)
        ? onTerminal(program)
        : Effect.provideService(program, ProgressDisplay, lineDisplay)
    })
