import { Effect, Layer } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"

type Service = Repo["Service"]

/** What a test expects of Repo, an aggregate at a time. */
export type ExpectedCalls = { readonly [Aggregate in keyof Service]?: Partial<Service[Aggregate]> }

const aggregate = (name: string, expected: object) =>
  new Proxy(expected, {
    get: (calls, method) =>
      Reflect.get(calls, method) ?? (() => Effect.die(`Unexpected repo.${name}.${String(method)}`))
  })

const withoutDatabase: Pick<Service, "transaction" | "ping"> = { transaction: (effect) => effect, ping: Effect.void }

/** A Repo that does what the test expects, and fails loudly where it is asked for anything else. */
export const fakeRepo = (expected: ExpectedCalls): Layer.Layer<Repo> =>
  Layer.succeed(
    Repo,
    new Proxy(withoutDatabase, {
      get: (own, name) => Reflect.get(own, name) ?? aggregate(String(name), Reflect.get(expected, name) ?? {})
    }) as Service
  )
