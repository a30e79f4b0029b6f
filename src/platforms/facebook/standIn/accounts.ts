import { createHash } from "node:crypto"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import { handleOf } from "../../../sandbox/state/names.ts"

export const digits = (seed: string, length: number): string =>
  (createHash("sha256").update(seed).digest().readBigUInt64BE() % 10n ** BigInt(length))
    .toString()
    .padStart(length, "0")

/** The last digit tells a person's Pages apart. */
export const pageOf = (seed: string): Pick<SandboxAccount, "id" | "username"> => ({
  id: `10${digits(`page ${seed}`, 12)}0`,
  username: handleOf(seed)
})

const person = "7"

/** The person who manages a Page. Only the person's token lists Pages. */
export const personOf = (page: SandboxAccount): SandboxAccount => ({
  ...page,
  id: `${person}${page.id.slice(0, -1)}`,
  username: `${page.username}.person`
})

export const isPerson = ({ id }: Pick<SandboxAccount, "id">) => id.startsWith(person)

interface ManagedPage extends SandboxAccount {
  /** True for a Page of a business, which the list of a person's Pages leaves out. */
  readonly isOfBusiness: boolean
  readonly tasks: ReadonlyArray<string>
}

export const pagesOf = (account: SandboxAccount): ReadonlyArray<ManagedPage> => {
  const first = account.id.slice(person.length)
  const username = account.username.replace(/\.person$/, "")
  const all = ["MANAGE", "CREATE_CONTENT", "MODERATE"]
  return [
    { suffix: "", title: "", isOfBusiness: false, tasks: all },
    { suffix: ".shop", title: " Shop", isOfBusiness: false, tasks: all },
    { suffix: ".group", title: " Group", isOfBusiness: true, tasks: all },
    { suffix: ".ads", title: " Ads", isOfBusiness: false, tasks: ["ADVERTISE", "ANALYZE"] }
  ].map(({ isOfBusiness, suffix, tasks, title }, index) => ({
    ...account,
    id: `${first}${index}`,
    username: `${username}${suffix}`,
    displayName: `${account.displayName}${title}`,
    isOfBusiness,
    tasks
  }))
}
