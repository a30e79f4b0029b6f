import { Context, Duration, Effect, Predicate, Record, Schedule } from "effect"
import { Migrator } from "effect/sql"
import initial from "../../../migrations/0001_initial.ts"
import ownersAndRevisions from "../../../migrations/0002_owners_and_revisions.ts"
import deletedTargets from "../../../migrations/0003_deleted_targets.ts"
import media from "../../../migrations/0004_media.ts"
import eventsWebhooks from "../../../migrations/0005_events_webhooks.ts"
import people from "../../../migrations/0006_people.ts"
import inviteAuthors from "../../../migrations/0007_invite_authors.ts"
import authors from "../../../migrations/0008_authors.ts"
import cardPictures from "../../../migrations/0009_card_pictures.ts"
import sealedWebhookUrls from "../../../migrations/0010_sealed_webhook_urls.ts"
import copies from "../../../migrations/0011_copies.ts"
import profiles from "../../../migrations/0012_profiles.ts"
import overdueDrafts from "../../../migrations/0013_overdue_drafts.ts"
import eventDetails from "../../../migrations/0014_event_details.ts"
import threads from "../../../migrations/0015_threads.ts"
import keyPurposes from "../../../migrations/0016_key_purposes.ts"
import copiesOfCopies from "../../../migrations/0017_copies_of_copies.ts"
import access from "../../../migrations/0018_access.ts"
import threadsFirst from "../../../migrations/0019_threads_first.ts"
import authorizationPlatforms from "../../../migrations/0020_authorization_platforms.ts"
import processing from "../../../migrations/0021_processing.ts"
import noPlainWebhookUrls from "../../../migrations/0022_no_plain_webhook_urls.ts"
import idempotencyAuthors from "../../../migrations/0023_idempotency_authors.ts"
import abilities from "../../../migrations/0024_abilities.ts"
import queues from "../../../migrations/0025_queues.ts"
import fileLinks from "../../../migrations/0026_file_links.ts"
import notificationDeliveries from "../../../migrations/0027_notification_deliveries.ts"
import passwordResets from "../../../migrations/0028_password_resets.ts"
import channels from "../../../migrations/0029_channels.ts"
import outlooks from "../../../migrations/0030_outlooks.ts"
import renewals from "../../../migrations/0031_renewals.ts"
import { type Progress, withProgress } from "../../domain/progress.ts"
import { buildIndexes } from "./buildIndexes.ts"
import { isLockError } from "./databaseErrors.ts"
import { dedicatedConnectionLayer } from "./dedicatedConnection.ts"
import { indexes } from "./indexes.ts"

/** Imported by name, so that a bundle contains them. */
const migrations = {
  "0001_initial": initial,
  "0002_owners_and_revisions": ownersAndRevisions,
  "0003_deleted_targets": deletedTargets,
  "0004_media": media,
  "0005_events_webhooks": eventsWebhooks,
  "0006_people": people,
  "0007_invite_authors": inviteAuthors,
  "0008_authors": authors,
  "0009_card_pictures": cardPictures,
  "0010_sealed_webhook_urls": sealedWebhookUrls,
  "0011_copies": copies,
  "0012_profiles": profiles,
  "0013_overdue_drafts": overdueDrafts,
  "0014_event_details": eventDetails,
  "0015_threads": threads,
  "0016_key_purposes": keyPurposes,
  "0017_copies_of_copies": copiesOfCopies,
  "0018_access": access,
  "0019_threads_first": threadsFirst,
  "0020_authorization_platforms": authorizationPlatforms,
  "0021_processing": processing,
  "0022_no_plain_webhook_urls": noPlainWebhookUrls,
  "0023_idempotency_authors": idempotencyAuthors,
  "0024_abilities": abilities,
  "0025_queues": queues,
  "0026_file_links": fileLinks,
  "0027_notification_deliveries": notificationDeliveries,
  "0028_password_resets": passwordResets,
  "0029_channels": channels,
  "0030_outlooks": outlooks,
  "0031_renewals": renewals
}

/**
 * A migration may run long, but must not wait long for a lock: all other users of the table wait behind it, even
 * readers.
 */
const limits = { statement: Duration.minutes(15), lockWait: Duration.seconds(2), idleTransaction: Duration.minutes(1) }

/** Lets the statements that waited behind the migration run. */
const retries = Schedule.spaced("3 seconds").pipe(Schedule.upTo({ duration: "30 minutes" }))

const isLockConflict = (error: unknown): boolean =>
  isLockError(error) ||
  (Predicate.isTagged(error, "MigrationError") && Predicate.hasProperty(error, "cause") && isLockConflict(error.cause))

const reportingMigrations = (report: (progress: Progress) => void) =>
  Effect.suspend(() => {
    const names = Object.keys(migrations)
    let pending: ReadonlyArray<string> | undefined
    return Migrator.fromRecord(
      Record.map(migrations, (migration, name) =>
        Effect.suspend(() => {
          // All migrations after the first to run are pending too.
          pending ??= names.slice(names.indexOf(name))
          const part = pending.indexOf(name) + 1
          report({ _tag: "Part", title: "Applying migration", part, parts: pending.length, detail: name })
          return migration
        })
      )
    )
  })

const applyPending = withProgress((report) =>
  Migrator.make({})({ loader: reportingMigrations(report), table: "migrations" }).pipe(
    Effect.tapError((error) =>
      isLockConflict(error) ? Effect.logWarning("The migration waits for another transaction's locks") : Effect.void
    ),
    Effect.retry({ while: isLockConflict, schedule: retries })
  )
).pipe(Effect.provide(dedicatedConnectionLayer(limits)))

export class Migrated extends Context.Service<Migrated, { readonly migrations: number; readonly indexes: number }>()(
  "social-publisher/repo/Migrated"
) {}

/**
 * One process at a time migrates, in one transaction, then builds the unique indexes. Takes up to half an hour if other
 * transactions are in the way.
 */
export const migrate = Effect.gen(function* () {
  const applied = yield* applyPending
  const built = yield* buildIndexes(indexes.filter(({ unique }) => unique))
  return Migrated.of({ migrations: applied.length, indexes: built })
})
