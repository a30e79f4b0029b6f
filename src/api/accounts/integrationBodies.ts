import { Schema } from "effect"
import { AccountDecision, WaitingPosts } from "../../domain/accounts/accountChange.ts"
import { IntegrationId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import {
  Integration,
  IntegrationDetails,
  integrationDetailsExample,
  integrationExample
} from "../../domain/accounts/integration.ts"
import { PostingOptions, postingOptionsExample } from "../../domain/accounts/postingOptions.ts"
import { defaultReturnPath, ReturnPath } from "../../domain/returnPath.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { dataOf, deleted, listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { optional } from "../orNull.ts"

const maxIdentifierLength = 2048
const maxAppPasswordLength = 256
const maxServiceLength = 2048

export const IntegrationList = listOf(Integration, "The accounts.")
  .annotate({ identifier: "IntegrationList", description: "The connected accounts, newest first." })
  .pipe(examples({ list: { data: [integrationExample] } }))

export const OneIntegrationDetails = Schema.Struct({ data: IntegrationDetails })
  .annotate({ identifier: "OneIntegrationDetails", description: "The account, with its posts." })
  .pipe(examples({ account: { data: integrationDetailsExample } }))

export const OnePostingOptions = Schema.Struct({ data: PostingOptions })
  .annotate({ identifier: "OnePostingOptions", description: "What the account may choose." })
  .pipe(examples({ options: { data: postingOptionsExample } }))

export const OneIntegration = Schema.Struct({ data: Integration })
  .annotate({ identifier: "OneIntegration", description: "The connected account." })
  .pipe(examples({ connected: { data: integrationExample } }))

export const ConnectBluesky = Schema.Struct({
  identifier: Text.check(
    Schema.isPattern(/\S/, { expected: "a handle, DID or email address" }),
    Schema.isMaxLength(maxIdentifierLength)
  ).annotateKey({
    description:
      "The account's handle, DID or email address. A name without a dot is a handle of the service's own domain: `alice` is `alice.bsky.social`."
  }),
  app_password: Schema.RedactedFromValue(
    Schema.NonEmptyString.check(Schema.isMaxLength(maxAppPasswordLength)).annotate({
      description: "An app password of the account, which is not kept.",
      format: "password"
    })
  ),
  service: optional(
    Schema.NonEmptyString.check(Schema.isMaxLength(maxServiceLength)),
    "The https URL of the account's PDS, with a public address; Bluesky's own by default."
  )
})
  .annotate({
    identifier: "ConnectBluesky",
    description: "How to log in to a Bluesky account. Unknown members are rejected."
  })
  .pipe(
    examples({
      bluesky: { identifier: integrationExample.username, app_password: "abcd-efgh-ijkl-mnop" },
      ownServer: { identifier: "ada@pds.example", app_password: "abcd-efgh-ijkl-mnop", service: "https://pds.example" }
    })
  )

const consentBody = (identifier: string, account: string) =>
  Schema.Struct({
    return_to: optional(
      ReturnPath,
      `The path of this service that a person's browser goes on to; \`${defaultReturnPath}\` by default. Not used with an API key.`
    )
  })
    .annotate({ identifier, description: `How to connect ${account}. Unknown members are rejected.` })
    .pipe(examples({ accounts: {}, elsewhere: { return_to: "/settings" } }))

export const ConnectFacebook = consentBody("ConnectFacebook", "a Facebook Page")
export const ConnectLinkedin = consentBody("ConnectLinkedin", "a LinkedIn account")
export const ConnectInstagram = consentBody("ConnectInstagram", "an Instagram account")
export const ConnectThreads = consentBody("ConnectThreads", "a Threads account")
export const ConnectTiktok = consentBody("ConnectTiktok", "a TikTok account")
export const ConnectTwitter = consentBody("ConnectTwitter", "an X account")
export const ConnectYoutube = consentBody("ConnectYoutube", "a YouTube channel")

interface ConsentExample {
  readonly site: string
  readonly loggedInAs: string
  readonly url: string
}

const consentAuthorization = (identifier: string, { loggedInAs, site, url }: ConsentExample) =>
  dataOf("The authorization.", {
    authorize_url: Schema.String.annotate({ format: "uri" }).annotateKey({
      description: `The page of ${site} on which a person agrees, logged in as the ${loggedInAs} to connect.`
    }),
    expires_at: describedInstant("When the authorization expires.")
  })
    .annotate({ identifier, description: `An authorization that a person completes on ${site}.` })
    .pipe(
      examples({
        begun: {
          data: {
            authorize_url: `${url}?response_type=code&client_id=posts`,
            expires_at: "2030-01-31T09:15:00.000Z"
          }
        }
      })
    )

export const FacebookAuthorization = consentAuthorization("FacebookAuthorization", {
  site: "Facebook",
  loggedInAs: "person who manages the Page",
  url: "https://www.facebook.com/v26.0/dialog/oauth"
})

export const LinkedinAuthorization = consentAuthorization("LinkedinAuthorization", {
  site: "LinkedIn",
  loggedInAs: "person",
  url: "https://www.linkedin.com/oauth/v2/authorization"
})

export const InstagramAuthorization = consentAuthorization("InstagramAuthorization", {
  site: "Instagram",
  loggedInAs: "account",
  url: "https://www.instagram.com/oauth/authorize"
})

export const ThreadsAuthorization = consentAuthorization("ThreadsAuthorization", {
  site: "Threads",
  loggedInAs: "account",
  url: "https://threads.com/oauth/authorize"
})

export const TiktokAuthorization = consentAuthorization("TiktokAuthorization", {
  site: "TikTok",
  loggedInAs: "account",
  url: "https://www.tiktok.com/v2/auth/authorize/"
})

export const YoutubeAuthorization = consentAuthorization("YoutubeAuthorization", {
  site: "Google",
  loggedInAs: "person who manages the channel",
  url: "https://accounts.google.com/o/oauth2/v2/auth"
})

export const ConsentAuthorization = consentAuthorization("TwitterAuthorization", {
  site: "X",
  loggedInAs: "account",
  url: "https://x.com/i/oauth2/authorize"
})

export const DecideAccountChange = Schema.Struct({
  token: Schema.RedactedFromValue(
    Schema.NonEmptyString.check(Schema.isMaxLength(256)).annotate({ description: "The `token` of the change." })
  ),
  replaces: Schema.NonEmptyString.check(Schema.isMaxLength(2048)).annotateKey({
    description: "The `replaces` of the change: the account that the person was shown."
  }),
  decision: AccountDecision.annotateKey({
    description:
      "`replace`: waiting posts go out from the other account at their times. `drafts`: the same, but scheduled posts become drafts first and keep their times; the unpublished rest of a post that is published in part fails as `needs_reconnect` instead. `cancel`: nothing changes, and the access that was given ends if the platform can revoke it."
  })
})
  .annotate({ identifier: "DecideAccountChange", description: "A decision. Unknown members are rejected." })
  .pipe(
    examples({
      replace: {
        token: "d7HkCq0vJm2wZs8Yt4Rb1Xn6Lp3Ga9Ee5Uo7Ki2Fc0",
        replaces: "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
        decision: "replace"
      }
    })
  )

export const DecidedAccountChange = Schema.Struct({
  data: Schema.NullOr(Integration).annotateKey({ description: "The connected account; null after `cancel`." }),
  unchanged: Schema.NullOr(WaitingPosts).annotateKey({
    description:
      "Null, unless another decision had already connected the account: then that decision stands, no post was changed, and these posts wait."
  })
})
  .annotate({ identifier: "DecidedAccountChange", description: "The decision was carried out." })
  .pipe(
    examples({
      replaced: { data: integrationExample, unchanged: null },
      canceled: { data: null, unchanged: null }
    })
  )

export const DisconnectedIntegration = dataOf("The change.", {
  id: IntegrationId.annotateKey({ description: "The account's id." }),
  deleted
})
  .annotate({ identifier: "DisconnectedIntegration", description: "The account is disconnected." })
  .pipe(examples({ disconnected: { data: { id: IntegrationId.make(integrationExample.id), deleted: true } } }))
