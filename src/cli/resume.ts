import { Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Backups } from "../backup/Backups.ts"
import type { ResumePlan } from "../backup/resume.ts"
import { json } from "./input.ts"
import { printTable } from "./output.ts"

const describe = ({ counts, takenAt }: ResumePlan) =>
  [
    `${counts.lookedUp} targets were due before the restore: each is looked up, and left to a person if it is not found.`,
    `${counts.due} targets have fallen due since: each goes out now, unless it is found.`,
    `${counts.later} targets are scheduled for later.`,
    `Edits and deletions since ${takenAt === null ? "the backup" : DateTime.formatIso(takenAt)} are lost.`
  ].join("\n")

const printPlan = Effect.fnUntraced(function* (plan: ResumePlan) {
  yield* Console.log(`${describe(plan)}\n`)
  if (plan.first.length > 0) yield* printTable(false, plan.first, "")
})

/** Publishing goes on after a restore. */
export const resume = Command.make(
  "resume",
  {
    asDrafts: Flag.Boolean("as-drafts").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Make everything that is scheduled a draft first; it keeps its time")
    ),
    dryRun: Flag.Boolean("dry-run").pipe(Flag.withDefault(false), Flag.withDescription("Only print what would go out")),
    json
  },
  Effect.fn(function* (input) {
    const backups = yield* Backups
    const plan = yield* backups.planResume
    if (Option.isNone(plan)) {
      return yield* Console.log(input.json ? `{"held":false}` : "Publishing is not held; there is nothing to do")
    }
    const drafts = input.asDrafts && !input.dryRun ? yield* backups.makeDrafts : 0
    // What is left once the drafts are made.
    const left = drafts === 0 ? plan : yield* backups.planResume
    if (!input.dryRun) yield* backups.endHold
    const { counts, first, takenAt } = Option.getOrElse(left, () => plan.value)
    if (input.json) {
      return yield* Console.log(
        JSON.stringify(
          {
            held: input.dryRun,
            taken_at: takenAt,
            drafts,
            looked_up: counts.lookedUp,
            due: counts.due,
            later: counts.later,
            first
          },
          undefined,
          2
        )
      )
    }
    if (drafts > 0) yield* Console.log(`${drafts} scheduled posts are drafts now.`)
    yield* printPlan({ counts, first, takenAt })
    yield* Console.log(input.dryRun ? "\nPublishing is still held." : "\nPublishing goes on.")
  })
).pipe(Command.withDescription("Print what will go out after a restore, and let publishing go on"))
