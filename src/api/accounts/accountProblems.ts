import { HttpApiError } from "effect/http-api"
import { AccountName, describeWaiting, WaitingPosts } from "../../domain/accounts/accountChange.ts"
import { LivePlatform } from "../../domain/platform.ts"
import * as sample from "../../domain/samples.ts"
import { Schema } from "effect"
import { problem, problemWith } from "../problems.ts"

const changeExample = {
  token: "d7HkCq0vJm2wZs8Yt4Rb1Xn6Lp3Ga9Ee5Uo7Ki2Fc0",
  platform: sample.otherPlatform,
  replaces: "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
  current: { account_id: "did:plc:ewvi7nxzyoun6zhxrhs64oiz", username: "acme.example" },
  next: { account_id: "did:plc:z72i7hdynmk6r22z27h6tvur", username: "news.acme.example" },
  waiting: { drafts: 2, scheduled: 5, failed: 0 }
} as const

const Account = Schema.Struct({
  account_id: AccountName.fields.accountId.annotateKey({ description: "The platform's own id of the account." }),
  username: AccountName.fields.username.annotateKey({ description: "The account's handle, without `@`." })
}).annotate({
  identifier: "AccountName",
  description: "An account on its platform.",
  examples: [changeExample.current]
})

export const AccountChange = Schema.Struct({
  token: Schema.RedactedFromValue(
    Schema.String.annotate({ description: "The secret that the decision has to name, valid for 15 minutes." })
  ),
  platform: LivePlatform,
  replaces: Schema.String.annotateKey({ description: "The id of `current`, which the decision has to name." }),
  current: Account,
  next: Account,
  waiting: WaitingPosts
})
  .annotate({
    identifier: "AccountChange",
    description: "An account other than the connected one. Nothing is done with it until a person decides."
  })
  .pipe(Schema.annotateEncoded({ examples: [changeExample] }))

export class AnotherAccountConnected extends HttpApiError.Problem<AnotherAccountConnected>()(
  "AnotherAccountConnected",
  ...problemWith({ change: AccountChange })("another_account_connected", 409, "Another account is connected", {
    description:
      "Another account of the platform is connected in this workspace, or was before it was disconnected. Nothing was changed: show `change` to a person, and send the decision to `POST /v1/integrations/decision`.",
    example: {
      detail: `@news.acme.example is a different ${sample.otherName} account from @acme.example, for which ${describeWaiting(changeExample.waiting)}`,
      change: changeExample
    }
  })
) {}

export class OutcomePending extends problem<OutcomePending>()("OutcomePending", "outcome_pending", 409, {
  title: "A post is being sent",
  description:
    "A post is being sent from the account that would be replaced, or its outcome is not known yet. Nothing was changed; the same decision works in a few minutes.",
  example: {
    detail: `A post is being sent to ${sample.otherName} from @acme.example, or its outcome is not known yet. Nothing was changed; try again in a few minutes`
  }
}) {}

export class NeedsReconnect extends problem<NeedsReconnect>()("NeedsReconnect", "needs_reconnect", 409, {
  title: "The account has to be connected again",
  description: "The platform no longer accepts the account's stored credentials; a person has to connect it again.",
  example: { detail: `${sample.otherName} no longer accepts the access to @acme.example; connect the account again` }
}) {}

export class PlatformUnavailable extends problem<PlatformUnavailable>()(
  "PlatformUnavailable",
  "platform_unavailable",
  503,
  {
    title: "The platform is unavailable",
    description: "The platform could not be reached, or accepts no more requests for now; retry after `Retry-After`.",
    example: { detail: `${sample.otherName} could not be reached. Nothing was changed; try again in a moment` }
  }
) {}
