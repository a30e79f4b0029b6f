import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Command } from "effect/cli"
import { Backups } from "../backup/Backups.ts"
import type { ResumePlan } from "../backup/resume.ts"
import type { PlatformClient } from "../platforms/PlatformClient.ts"
import { counted } from "../domain/counted.ts"
import { json, toggle } from "./input.ts"
import { printTable } from "./output.ts"
import { postRecords, printUnmatched, readUnmatched } from "./unmatched.ts"

const describe = ({ counts, takenAt }: ResumePlan) =>
  [
    `${counted(counts.lookedUp, "target was", "targets were")} due before the restore: each is looked up, and left to a person if it is not found.`,
    `${counted(counts.due, "target has", "targets have")} fallen due since: each goes out now, unless it is found.`,
    `${counted(counts.later, "target is", "targets are")} scheduled for later.`,
    `Edits and deletions since ${takenAt === null ? "the backup" : DateTime.formatIso(takenAt)} are lost.`
  ].join("\n")

const printPlan = Effect.fnUntraced(function* (plan: ResumePlan) {
  yield* Console.log(`${describe(plan)}\n`)
  if (plan.first.length > 0) yield* printTable(false, plan.first, "")
})

/** Returns None, after a message, if the platforms can't be reached. */
const readAccounts = <E extends { readonly message: string }, R>(
  { restoredAt, takenAt }: ResumePlan,
  platformsLayer: Layer.Layer<PlatformClient, E, R>
) =>
  takenAt === null || restoredAt === null
    ? Effect.succeedNone
    : readUnmatched(takenAt, restoredAt).pipe(
        Effect.provide(platformsLayer),
        Effect.asSome,
        Effect.catch(({ message }) =>
          Effect.as(Console.error(`The accounts were not searched for posts: ${message}`), Option.none())
        )
      )

export const resume = <E extends { readonly message: string }, R>(platformsLayer: Layer.Layer<PlatformClient, E, R>) =>
  Command.make(
    "resume",
    {
      asDrafts: toggle(
        "as-drafts",
        "First make every scheduled post of which nothing is published a draft that keeps its time"
      ),
      dryRun: toggle("dry-run", "Only print what would go out, and the posts on X that are unknown here"),
      json
    },
    Effect.fn(function* (input) {
      const backups = yield* Backups
      const plan = yield* backups.planResume
      if (Option.isNone(plan)) {
        return yield* Console.log(input.json ? `{"held":false}` : "Publishing is not on hold; there is nothing to do")
      }
      const drafts = input.asDrafts && !input.dryRun ? yield* backups.makeDrafts : 0
      const left = Option.getOrElse(drafts === 0 ? plan : yield* backups.planResume, () => plan.value)
      // Ends the hold first, because reading a slow platform's accounts may take long.
      if (!input.dryRun) yield* backups.endHold
      const reports = yield* readAccounts(left, platformsLayer)
      if (input.json) {
        const { counts, first, takenAt } = left
        const unmatched = Option.getOrNull(reports)?.map((report) => ({
          platform: report.platform,
          account: report.account,
          error: report.error,
          complete: report.complete,
          posts: postRecords(report).map(({ created_at, id, text }) => ({ id, created_at, text }))
        }))
        const { due, later, lookedUp } = counts
        const record = { held: input.dryRun, taken_at: takenAt, drafts, looked_up: lookedUp, due, later, first }
        return yield* Console.log(JSON.stringify({ ...record, unmatched: unmatched ?? null }, undefined, 2))
      }
      if (drafts > 0)
        yield* Console.log(`${counted(drafts, "scheduled post is a draft", "scheduled posts are drafts")} now.`)
      yield* printPlan(left)
      if (Option.isSome(reports)) yield* printUnmatched(reports.value)
      yield* Console.log(input.dryRun ? "\nPublishing is still on hold." : "\nPublishing continues.")
    })
  ).pipe(Command.withDescription("Print what will go out after a restore, and end the hold on publishing"))
