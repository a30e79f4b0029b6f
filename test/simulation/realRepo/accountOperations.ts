import { Effect, Option, Redacted } from "effect"
import type { Prng } from "../prng.ts"
import { type Draw, none, operation } from "./operation.ts"
import { type Account, type Replica, renewLease, type Store } from "./stores.ts"
import { onClaim } from "./claims.ts"

const onAccount =
  (
    name: string,
    act: (
      replica: Replica,
      account: Account,
      keep: (access: Partial<Account>) => void,
      store: Store
    ) => Effect.Effect<unknown, { readonly _tag: string }>
  ): Draw =>
  (prng) => {
    const index = prng.between(0, 3)
    return operation(`${name} (account ${index})`, (store, replica) => {
      const account = store.accounts[index]
      if (account === undefined) return none
      const keep = (access: Partial<Account>) => {
        store.accounts[index] = { ...account, ...access }
      }
      return act(replica, account, keep, store)
    })
  }

const drawCredentials = (prng: Prng) => `credentials ${prng.between(1, 100_000)}`

export const markNeedsReconnect = onClaim("markNeedsReconnect", ({ repo }, { integration }) =>
  repo.integrations.markNeedsReconnect(integration.id, integration.version)
)

export const reconnect: Draw = (prng) => {
  const credentials = drawCredentials(prng)
  return onAccount(`reconnect with ${credentials}`, (replica, account, keep) =>
    Effect.map(replica.reconnect(account, credentials), () => keep({ credentials }))
  )(prng)
}

/** In a simulation a post does not become a draft while it is being published. */
const isAnyPublishing = ({ posts }: Store, { repo }: Replica) =>
  Effect.map(
    Effect.forEach(posts, ({ id, workspace }) => Effect.option(repo.posts.get(workspace, id))),
    (found) => found.some((post) => Option.exists(post, ({ status }) => status === "publishing"))
  )

export const replaceAccount: Draw = (prng) => {
  const access = { accountId: `account-${prng.between(1, 100_000)}`, credentials: drawCredentials(prng) }
  const wantsDrafts = prng.chance(0.5)
  return onAccount(`replace by ${access.accountId}, drafts: ${wantsDrafts}`, (replica, account, keep, store) =>
    Effect.gen(function* () {
      const asDrafts = wantsDrafts && !(yield* isAnyPublishing(store, replica))
      yield* replica.replace(account, access, asDrafts)
      keep(access)
    })
  )(prng)
}

export const readCredentials = onClaim("credentials", ({ repo }, { accountId, integration }) =>
  Effect.map(repo.integrations.credentials(integration.id, accountId), Redacted.value)
)

export const refreshCredentials: Draw = (prng) => {
  const renewed = Redacted.make(drawCredentials(prng))
  const isKnown = prng.chance(0.7)
  return onAccount(`refresh what is ${isKnown ? "" : "not "}known`, ({ repo }, account, keep) => {
    const known = Redacted.make(isKnown ? account.credentials : "others")
    const renew = Effect.succeed({ credentials: renewed })
    return Effect.map(
      repo.integrations.refreshCredentials(account.id, known, renew, account.accountId),
      (credentials) => {
        keep({ credentials: Redacted.value(credentials) })
        return Redacted.value(credentials)
      }
    )
  })(prng)
}

export const renew: Draw = () => operation("renew the process's lease", (store, _, by) => renewLease(store, by))

export const endLease: Draw = () =>
  operation("end the process's lease", ({ leases }, { repo }, by) => {
    const id = leases[by]
    return id === null ? none : repo.processes.end(id)
  })
