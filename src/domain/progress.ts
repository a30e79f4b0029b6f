import { type Array as Arr, Clock, Context, Duration, Effect, Schedule, type Scope } from "effect"

/** Work on many similar items, whose pace predicts the remaining time. */
interface Amount {
  readonly _tag: "Amount"
  /** Such as `Backing up`. */
  readonly title: string
  readonly done: number
  /** Null if unknown. */
  readonly total: number | null
  readonly isTotalEstimated: boolean
  /** A plural noun. */
  readonly unit: string
}

/** One of a few parts of unpredictable length. */
export interface Part {
  readonly _tag: "Part"
  /** Such as `Building index`. */
  readonly title: string
  /** From 1. */
  readonly part: number
  readonly parts: number
  readonly detail: string
}

export type Progress = Amount | Part

type Read = () => Progress | undefined

/** Shows progress until the scope closes. `read` returns undefined before work has begun. Shows nothing by default. */
export const ProgressDisplay = Context.Reference<(read: Read) => Effect.Effect<void, never, Scope.Scope>>(
  "social-publisher/domain/ProgressDisplay",
  { defaultValue: () => () => Effect.void }
)

/** `report` may be called as often as desired. */
export const withProgress = <A, E, R>(work: (report: (progress: Progress) => void) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let current: Progress | undefined
    const display = yield* ProgressDisplay
    yield* display(() => current)
    return yield* work((progress) => {
      current = progress
    })
  }).pipe(Effect.scoped)

export const forEachWithProgress = <A, E, R>(
  { title, unit }: Pick<Amount, "title" | "unit">,
  items: ReadonlyArray<A>,
  run: (item: A) => Effect.Effect<void, E, R>
) =>
  withProgress((report) =>
    Effect.forEach(
      items,
      (item, done) => {
        report({ _tag: "Amount", title, done, total: items.length, isTotalEstimated: false, unit })
        return run(item)
      },
      { discard: true }
    )
  )

/** Waits first, so that nothing is shown for short work. */
export const pacedDisplay =
  (
    { first, interval }: { readonly first: Duration.Duration; readonly interval: Duration.Duration },
    show: (progress: Progress, elapsed: Duration.Duration) => Effect.Effect<void>
  ) =>
  (read: Read) =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const showOnce = Effect.gen(function* () {
        const progress = read()
        if (progress !== undefined) yield* show(progress, Duration.millis((yield* Clock.currentTimeMillis) - began))
      })
      yield* showOnce.pipe(Effect.repeat(Schedule.spaced(interval)), Effect.delay(first), Effect.forkScoped)
    })

/** From 0 to 1; null if unknown. */
export const shareOf = (progress: Progress): number | null => {
  if (progress._tag === "Part") return (progress.part - 1) / progress.parts
  const { done, isTotalEstimated, total } = progress
  // If more is done than estimated, the share is unknown.
  return total === null || total === 0 || (isTotalEstimated && done >= total) ? null : Math.min(1, done / total)
}

const format = (count: number, unit: string, options?: Intl.NumberFormatOptions) =>
  unit === "bytes"
    ? `${(count / 1e6).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`
    : `${count.toLocaleString("en", options)} ${unit}`

const formatTime = (seconds: number): string => {
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

export const describeProgress = (progress: Progress, elapsed: Duration.Duration): Arr.NonEmptyReadonlyArray<string> => {
  if (progress._tag === "Part") {
    const part = `${progress.part} of ${progress.parts}`
    const named = `${part}: ${progress.detail}`
    return [`${named}, ${formatTime(Math.floor(Duration.toSeconds(elapsed)))} so far`, named, part]
  }
  const { done, isTotalEstimated, total, unit } = progress
  const share = shareOf(progress)
  if (share === null || total === null) return [format(done, unit)]
  const percent = `${Math.floor(share * 100)}%`
  const of = isTotalEstimated ? `about ${format(total, unit, { maximumSignificantDigits: 2 })}` : format(total, unit)
  if (share === 0) return [`${percent} of ${of}`, percent]
  const left = `${formatTime(Math.ceil(Duration.toSeconds(elapsed) * (1 / share - 1)))} left`
  return [`${percent} of ${of}, ${left}`, `${percent}, ${left}`, percent]
}

export const withTitle = (progress: Progress, description: string): string =>
  `${progress.title}${progress._tag === "Part" ? "" : ":"} ${description}`

/** Such as `Backing up: 41% of about 900,000 rows, 12 s left`. */
export const progressLine = (progress: Progress, elapsed: Duration.Duration): string =>
  withTitle(progress, describeProgress(progress, elapsed)[0])
