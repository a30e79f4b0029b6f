import { Clock, Effect, Fiber, Queue, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import path from "node:path"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { SendsMail } from "../../src/repo/notifications/SendsMail.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { formatTable } from "../bench/support/report.ts"
import { headerOf, makeSmtpReceiver, password } from "../mail/smtpReceiver.ts"
import { failPosts } from "../mail/world.ts"
import { makeMember } from "../support/http/team.ts"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { killRepeatedly } from "./support/kills.ts"
import { makeReplica } from "./support/replica.ts"
import { encryptionKey, repoLayer } from "./support/world.ts"

const members = 20
const replicas = 3
/** The time that the mail server takes for each message, so that kills meet messages on their way. */
const answersAfter = 1_000
const timeoutMillis = 10 * 60_000

/**
 * Fault injection: replicas are killed while they send mail. `--posts` is the number of messages: each workspace has 20
 * members and one failed post. A message may arrive twice, with the same Message-ID, if its replica was killed before it
 * could store the answer. No wait is shortened.
 */
runScript("mail", { posts: 500, seed: "1", pace: 1 }, (directory, { pace, posts: count }, log) =>
  Effect.gen(function* () {
    const { url } = yield* restartableDatabase({ dataDir: directory })
    const { received, settings } = yield* makeSmtpReceiver({ answersAfter })

    return yield* Effect.gen(function* () {
      yield* migrate
      const { workspaces } = yield* Repo
      const addresses = new Set<string>()
      const teams = yield* Effect.forEach(Array.from({ length: Math.ceil(count / members) }), (_, number) =>
        Effect.gen(function* () {
          const { id } = yield* workspaces.create(`Workspace ${number}`)
          for (let member = 0; member < members; member++) {
            addresses.add((yield* makeMember(id, member === 0 ? "admin" : "editor")).email)
          }
          return id
        })
      )
      const started = yield* Effect.forEach(Array.from({ length: replicas }), (_, number) =>
        makeReplica({
          name: `replica ${number + 1}`,
          pace,
          directory,
          env: {
            CHAOS_REAL_LEASES: "1",
            DATABASE_URL: Redacted.value(url),
            ENCRYPTION_KEY: Base64.encode(encryptionKey),
            PLATFORMS: "sandbox",
            DATA_DIR: path.join(directory, "data"),
            SMTP_URL: `smtp://publisher:${encodeURIComponent(password)}@127.0.0.1:${settings.server.port}`,
            MAIL_FROM: settings.from.address
          }
        })
      )
      yield* Effect.forEach(started, ({ ready, start }) => Effect.andThen(start, ready), { concurrency: "unbounded" })
      yield* log(`${replicas} replicas are ready, and ${addresses.size} people wait`)
      const begun = yield* Clock.currentTimeMillis
      let kills = 0
      const killing = yield* Effect.forkScoped(killRepeatedly(started, () => void kills++))
      yield* Effect.forEach(teams, (id) => failPosts(id), { discard: true })

      /** The Message-IDs of each person's messages, in the order of their arrival. */
      const arrivals = new Map<string, ReadonlyArray<string>>()
      const end = begun + timeoutMillis
      const isMissing = (address: string) => !arrivals.has(address)
      while ([...addresses].some(isMissing) && (yield* Clock.currentTimeMillis) < end) {
        const some = yield* Effect.timeoutOption(Queue.takeBetween(received, 1, 100), "1 second")
        for (const mail of some._tag === "Some" ? some.value : []) {
          for (const address of mail.to) {
            arrivals.set(address, [...(arrivals.get(address) ?? []), headerOf(mail, "Message-ID") ?? ""])
          }
        }
      }
      yield* Fiber.interrupt(killing)

      const lost = [...addresses].filter(isMissing)
      const repeated = [...arrivals.values()].filter((ids) => ids.length > 1)
      const renamed = repeated.filter((ids) => new Set(ids).size > 1)
      const crashes = started.reduce((sum, replica) => sum + replica.crashes(), 0)
      return {
        table: formatTable([
          {
            messages: addresses.size,
            lost: lost.length,
            "more than once": repeated.length,
            "most often": Math.max(...[...arrivals.values()].map((ids) => ids.length)),
            "under several ids": renamed.length,
            kills,
            seconds: Math.round(((yield* Clock.currentTimeMillis) - begun) / 1000)
          }
        ]),
        failures: [
          ...lost.map((address) => `The message to ${address} was lost`),
          ...(renamed.length > 0 ? ["A message arrived under several ids"] : []),
          ...(crashes > 0 ? [`${crashes} replicas exited by themselves`] : [])
        ]
      }
    }).pipe(Effect.provide(repoLayer(url)), Effect.provideService(SendsMail, true))
  })
)
