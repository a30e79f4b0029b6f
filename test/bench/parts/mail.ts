import { Effect, Queue } from "effect"
import { SendsMail } from "../../../src/repo/notifications/SendsMail.ts"
import { repoLayer } from "../../chaos/support/world.ts"
import { makeSmtpReceiver, password } from "../../mail/smtpReceiver.ts"
import { failPosts } from "../../mail/world.ts"
import { makeMember } from "../../support/http/team.ts"
import { type Database, runSql, startDatabase } from "../support/database.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { makePublishNow, publishInTurns } from "../support/publishNow.ts"
import { startServicePublisher } from "../support/publishers.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, percentile } from "../support/statistics.ts"
import { makeTeams } from "../support/teams.ts"

/** More messages than a process sends while it is measured: four at a time, 15 seconds each. */
const readers = 500

/** A workspace with as many members as messages, each with one about a failed post. */
const makeReaders = (database: Database) =>
  Effect.gen(function* () {
    const [team] = yield* makeTeams(database, 1, [])
    if (team === undefined) return
    yield* Effect.forEach(Array.from({ length: readers }), () => makeMember(team.workspaceId), { discard: true })
    yield* failPosts(team.workspaceId)
  }).pipe(Effect.provide(repoLayer(database.url)), Effect.provideService(SendsMail, true))

/** Publish now, in a service without mail and in one whose mail server takes messages and never answers. */
export const mail = Effect.fn("mail")(function* ({ quick }: BenchOptions) {
  const count = quick ? 50 : 200
  const platform = yield* startPlatform
  const { arrived, settings } = yield* makeSmtpReceiver({ afterData: () => "hang" })
  const start = Effect.fnUntraced(function* (name: string, env: Readonly<Record<string, string>>) {
    const database = yield* startDatabase
    const teams = yield* makeTeams(database, 100, ["twitter"])
    yield* makeReaders(database)
    const publisher = yield* startServicePublisher(database, platform, 1, undefined, env)
    const publishNow = makePublishNow(`${publisher.services[0]?.url}/v1/posts`)
    const order = (text: string, number: number) => publishNow(text, teams[number % teams.length]?.key ?? "")
    return { name, database, order }
  })
  const contenders = [
    yield* start("no mail", {}),
    yield* start("a mail server that hangs", {
      SMTP_URL: `smtp://publisher:${encodeURIComponent(password)}@127.0.0.1:${settings.server.port}`,
      MAIL_FROM: settings.from.address
    })
  ]
  // The first messages hang from here on.
  yield* Queue.take(arrived)
  const measured = yield* publishInTurns(platform, contenders, count)
  const hanging = yield* runSql(
    contenders[1]?.database ?? (yield* Effect.die("No service has mail")),
    "SELECT FROM notification_deliveries WHERE status = 'pending'"
  )
  return [
    {
      title: "Publish now with a mail server that hangs",
      notes: `From the order until the post arrives at the platform, ${count} times each, in turns. ${hanging.length} of ${readers} messages still waited at the end.`,
      rows: measured.map(({ name, times }) => ({
        mail: name,
        "p50, ms": median(times),
        "p99, ms": percentile(times, 0.99)
      }))
    } satisfies Section
  ]
})
