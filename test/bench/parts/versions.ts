import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { root } from "../../support/process/program.ts"
import { type Database, databaseEnv, startEmptyDatabase } from "../support/database.ts"
import { accounts, delays, drain, postsTogether } from "../support/drain.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { makePublishNow, publishInTurns } from "../support/publishNow.ts"
import { startServicePublisher } from "../support/publishers.ts"
import { postsPerSecond, publishSteadily } from "../support/publishSteadily.ts"
import { sourcesIn } from "../support/service.ts"
import { startPlatform } from "../support/startPlatform.ts"
import { median, medianRatio, percentile } from "../support/statistics.ts"

const Keys = Schema.fromJsonString(Schema.Array(Schema.String))

/** Creates the workspaces with the version's own code, because another version's schema lacks columns. */
const makeKeys = Effect.fnUntraced(function* (directory: string, database: Database) {
  const script = `
    import { Effect, Redacted } from "effect"
    import { makeTeams } from "./test/bench/support/teams.ts"
    const url = Redacted.make(process.env.DATABASE_URL)
    const teams = await Effect.runPromise(makeTeams({ url }, ${accounts}, ["twitter"]))
    console.log(JSON.stringify(teams.map(({ key }) => key)))`
  const { stdout } = yield* Effect.promise(() =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: directory,
      env: { ...process.env, ...databaseEnv(database) },
      maxBuffer: 10_000_000
    })
  )
  return yield* Schema.decodeEffect(Keys)(stdout)
})

/**
 * The engine of these sources compared with the engine of another version. Each has its own PostgreSQL, which its own
 * version has migrated.
 */
export const versions = Effect.fn("versions")(function* ({ against, quick, rounds }: BenchOptions) {
  if (against === undefined) return yield* Effect.die(new Error("versions needs --against"))
  const posts = postsTogether(quick)
  const steady = postsPerSecond * (quick ? 5 : 20)
  const requests = quick ? 30 : 100
  const platform = yield* startPlatform
  const start = Effect.fnUntraced(function* (name: string, directory: string) {
    const program = sourcesIn(directory)
    const database = yield* startEmptyDatabase
    const publisher = yield* startServicePublisher(database, platform, 1, program)
    const keys = yield* makeKeys(directory, database)
    return { name, database, publisher, keys, program, figures: new Map<string, Array<number>>() }
  })
  const contenders = [yield* start("other", against), yield* start("this", root)]
  type Contender = (typeof contenders)[number]

  const note = ({ figures }: Pick<Contender, "figures">, values: Readonly<Record<string, number>>) => {
    for (const [name, value] of Object.entries(values)) figures.set(name, [...(figures.get(name) ?? []), value])
  }

  const drainAll = Effect.fnUntraced(function* (contender: Contender, round: number) {
    const { database, name, publisher } = contender
    for (const delay of delays) {
      const prefix = `${name}, round ${round} at ${delay}`
      const { node, perSecond, postgres } = yield* drain(database, platform, publisher, { prefix, posts, delay })
      const at = `drain at ${delay} ms`
      note(contender, {
        [`${at}, posts/s`]: perSecond,
        [`${at}, Node, µs a post`]: node,
        [`${at}, PostgreSQL, µs a post`]: postgres,
        [`${at}, both, µs a post`]: node + postgres
      })
    }
  })

  const drainByTwo = Effect.fnUntraced(function* (contender: Contender, round: number) {
    const { database, name, program } = contender
    const second = yield* startServicePublisher(database, platform, 1, program)
    yield* drain(database, platform, second, { prefix: `${name}, two, warm-up ${round}`, posts: posts / 5, delay: 0 })
    const prefix = `${name}, two, round ${round}`
    const { perSecond } = yield* drain(database, platform, second, { prefix, posts, delay: 100 })
    note(contender, { "drain at 100 ms by two processes, posts/s": perSecond })
  }, Effect.scoped)

  const publishAtRate = Effect.fnUntraced(function* (contender: Contender, round: number) {
    const prefix = `${contender.name}, steady ${round} number`
    const { node, postgres, times } = yield* publishSteadily(contender.database, platform, contender.publisher, {
      count: steady,
      prefix
    })
    const at = `at ${postsPerSecond} posts a second`
    note(contender, {
      [`${at}, both, µs a post`]: node + postgres,
      [`${at}, Node, µs a post`]: node,
      [`${at}, PostgreSQL, µs a post`]: postgres,
      [`${at}, lateness p50, ms`]: median(times),
      [`${at}, lateness p99, ms`]: percentile(times, 0.99)
    })
  })

  const publishNow = Effect.fnUntraced(function* (round: number) {
    yield* progress(`publish now, round ${round}`)
    const ordering = contenders.map(({ figures, keys, name, publisher }) => {
      const order = makePublishNow(`${publisher.services[0]?.url}/v1/posts`)
      return {
        name: `${name}, now ${round}`,
        figures,
        order: (text: string, number: number) => order(text, keys[number] ?? "")
      }
    })
    for (const { figures, times } of yield* publishInTurns(platform, ordering, requests)) {
      note({ figures }, { "publish now, p50, ms": median(times), "publish now, p99, ms": percentile(times, 0.99) })
    }
  })

  for (const { database, name, publisher } of contenders) {
    yield* drain(database, platform, publisher, { prefix: `${name}, warm-up`, posts: posts / 2, delay: 0 })
  }
  for (let round = 1; round <= rounds; round++) {
    // In turns: who is first benefits from what the other leaves undone.
    const inTurn = round % 2 === 0 ? contenders.toReversed() : contenders
    for (const measure of [drainAll, publishAtRate, drainByTwo]) {
      for (const contender of inTurn) yield* measure(contender, round)
    }
    yield* publishNow(round)
  }
  const [other, current] = contenders.map(({ figures }) => figures)
  const rows = [...(other ?? [])].map(([name, values]) => {
    const own = current?.get(name) ?? []
    const ratios = own.map((value, round) => value / (values[round] ?? Number.NaN))
    return {
      measured: name,
      other: median(values),
      "these sources": median(own),
      ratio: medianRatio(own, values),
      "from, to": `${Math.min(...ratios).toFixed(2)}, ${Math.max(...ratios).toFixed(2)}`
    }
  })
  return [
    {
      title: `Compared with ${against}`,
      notes: `${posts} posts on ${accounts} accounts fall due at the same time; ${steady} at ${postsPerSecond} a second; ${requests} are published now on an idle system. ${rounds} rounds in turns, medians.`,
      rows
    } satisfies Section
  ]
})
