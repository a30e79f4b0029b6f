import { Effect, Layer } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"

type Service = Repo["Service"]

/** The calls of Repo that a test expects, by aggregate. */
export type ExpectedCalls = { readonly [Aggregate in keyof Service]?: Partial<Service[Aggregate]> }

const aggregate = (name: string, expected: object) =>
  new Proxy(expected, {
    get: (calls, method) =>
      Reflect.get(calls, method) ?? (() => Effect.die(`Unexpected repo.${name}.${String(method)}`))
  })

const withoutDatabase: Pick<Service, "transaction" | "ping"> = { transaction: (effect) => effect, ping: Effect.void }

/** A Repo that handles the expected calls and dies on any other. */
export const fakeRepo = (expected: ExpectedCalls): Layer.Layer<Repo> =>
  Layer.succeed(
    Repo,
    new Proxy(withoutDatabase, {
      get: (own, name) => Reflect.get(own, name) ?? aggregate(String(name), Reflect.get(expected, name) ?? {})
    }) as Service
  )
