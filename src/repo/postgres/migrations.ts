import { Duration, Effect, Predicate, Schedule } from "effect"
import { Migrator, SqlError } from "effect/sql"
import initial from "../../../migrations/0001_initial.ts"
import ownersAndRevisions from "../../../migrations/0002_owners_and_revisions.ts"
import deletedTargets from "../../../migrations/0003_deleted_targets.ts"
import media from "../../../migrations/0004_media.ts"
import eventsWebhooks from "../../../migrations/0005_events_webhooks.ts"
import people from "../../../migrations/0006_people.ts"
import inviteAuthors from "../../../migrations/0007_invite_authors.ts"
import { buildIndexes } from "./buildIndexes.ts"
import { dedicatedConnectionLayer } from "./dedicatedConnection.ts"
import { indexes } from "./indexes.ts"

/** Imported by name and not found in their folder, so that a bundle has them. */
const migrations = {
  "0001_initial": initial,
  "0002_owners_and_revisions": ownersAndRevisions,
  "0003_deleted_targets": deletedTargets,
  "0004_media": media,
  "0005_events_webhooks": eventsWebhooks,
  "0006_people": people,
  "0007_invite_authors": inviteAuthors
}

/**
 * A migration may take long, but not wait long for a lock: whoever needs the table meanwhile waits behind it, readers
 * included.
 */
const limits = { statement: Duration.minutes(15), lockWait: Duration.seconds(2), idleTransaction: Duration.minutes(1) }

/** Between two attempts the statements that waited behind the migration run. */
const retries = Schedule.spaced("3 seconds").pipe(Schedule.upTo({ duration: "30 minutes" }))

/** Whether another transaction is in the way: the statement waited too long for a lock, or was chosen to end a deadlock. */
const isLockConflict = (error: unknown): boolean =>
  SqlError.isSqlError(error)
    ? error.reason._tag === "LockTimeoutError" || error.reason._tag === "DeadlockError"
    : Predicate.isTagged(error, "MigrationError") &&
      Predicate.hasProperty(error, "cause") &&
      isLockConflict(error.cause)

const applyPending = Migrator.make({})({
  loader: Migrator.fromRecord(migrations),
  table: "migrations"
}).pipe(
  Effect.tapError((error) =>
    isLockConflict(error) ? Effect.logWarning("The migration waits for another transaction's locks") : Effect.void
  ),
  Effect.retry({ while: isLockConflict, schedule: retries }),
  Effect.provide(dedicatedConnectionLayer(limits))
)

/**
 * Applies the pending migrations in one transaction, one process at a time, on a connection with limits of its own, and
 * returns them. Then builds the unique indexes; the others may be built later. Takes half an hour at most where other
 * transactions are in the way.
 */
export const migrate = Effect.tap(applyPending, buildIndexes(indexes.filter(({ unique }) => unique)))
