import { Redacted } from "effect"
import {
  type AnotherAccountConnected,
  describeWaiting,
  type OutcomePending,
  type WaitingPosts
} from "../../domain/accounts/accountChange.ts"
import type { ConnectedAccount } from "../../domain/accounts/integration.ts"
import { html, type Html } from "../../domain/html.ts"
import { accountName, platformName, unusedAccess } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { liveFacts } from "../../platforms/facts.ts"
import type { ConsentPlatform } from "../../platforms/links.ts"
import type { ShownOAuthState } from "../../repo/integrations/oauthStates.ts"
import { cardPage } from "./cardPage.ts"

export const decisionPath = (platform: LivePlatform) => `/oauth/${platform}/decision` as const

export const messagePage = (status: number, title: string, message: string) =>
  cardPage(
    status,
    title,
    html`<p>${message}</p>
<p class="note"><a href="/accounts">Go to your accounts</a></p>`
  )

export const confirmationPath = (platform: ConsentPlatform) => `/oauth/${platform}/confirmation` as const

/**
 * Asks the person who agreed on the platform if this workspace should get the account, because somebody else may have
 * sent the link. The form contains the code from the platform, which is exchanged only after a yes.
 */
export const confirmationPage = (
  platform: ConsentPlatform,
  { keyName, workspaceName }: Pick<ShownOAuthState, "keyName" | "workspaceName">,
  { code, state }: { readonly code: string; readonly state: string }
) =>
  cardPage(
    200,
    `Connect your ${platformName(platform)} account to ${workspaceName}?`,
    html`<p>${keyName === null ? "Whoever gave you the link" : html`The API key <strong>${keyName}</strong>`} has asked for this for
the workspace <strong>${workspaceName}</strong>. The people and programs of that workspace will be able to post from your account.</p>
<form method="post" action="${confirmationPath(platform)}">
<input type="hidden" name="state" value="${state}">
<input type="hidden" name="code" value="${code}">
<button class="primary" name="decision" value="connect">Connect the account</button>
<div class="choice">
<button class="quiet" name="decision" value="cancel" aria-describedby="cancel">Cancel</button>
<p class="note" id="cancel">Choose this if you did not expect to see this workspace. Nothing is connected.</p>
</div>
</form>
<p class="note">${platformName(platform)} lets you decide for ${liveFacts[platform].link.codeLasts}; after that, begin again.</p>`
  )

export const choicePath = (platform: ConsentPlatform) => `/oauth/${platform}/choice` as const

interface Choosing {
  readonly token: Redacted.Redacted
  readonly further: { readonly label: string } | undefined
}

/** The form names accounts by their places in the stored choice, and contains no access. */
export const choicePage = (
  platform: ConsentPlatform,
  accounts: ReadonlyArray<Pick<ConnectedAccount, "displayName" | "username">>,
  { further, token }: Choosing
) =>
  cardPage(
    200,
    `Which ${platformName(platform)} account should publish?`,
    html`<p>${
      accounts.length > 1
        ? "You gave access to more than one account."
        : "You can connect this account, or another one."
    } A workspace has one account on ${platformName(platform)}.</p>
<form method="post" action="${choicePath(platform)}">
<input type="hidden" name="token" value="${Redacted.value(token)}">
${accounts.map(({ displayName, username }, index) => {
  const shown = displayName ?? username
  const name = accountName(platform, username)
  const id = `account-${String(index)}`
  return name === shown
    ? html`<button name="choice" value="${String(index)}">${shown}</button>
`
    : html`<div class="choice">
<button name="choice" value="${String(index)}" aria-describedby="${id}">${shown}</button>
<p class="note" id="${id}">${name}</p>
</div>
`
})}${
      further === undefined
        ? ""
        : html`<button name="choice" value="further">${further.label}</button>
`
    }<button class="quiet" name="choice" value="cancel">Cancel</button>
</form>
<p class="note">This page works for 15 minutes, once.</p>`
  )

/** A link, because a form of this page may not lead to another site. */
export const furtherPage = (platform: ConsentPlatform, label: string, url: string) =>
  cardPage(
    200,
    label,
    html`<p>${platformName(platform)} asks for this access separately.</p>
<p><a href="${url}">Go on to ${platformName(platform)}</a></p>
<p class="note">The link works for 15 minutes, once. The page before this one no longer works. To connect another account
instead, <a href="/accounts">begin again on the Accounts page</a>.</p>`
  )

interface Question {
  readonly token: Redacted.Redacted
  readonly replaces: string
  /** The path to redirect to afterwards. With null, a page shows the result. */
  readonly returnTo: string | null
}

/** `account` is the account that would publish the posts. */
const decisionForm = (
  platform: LivePlatform,
  { replaces, returnTo, token }: Question,
  account: string
): Html => html`<form method="post" action="${decisionPath(platform)}">
<input type="hidden" name="token" value="${Redacted.value(token)}">
<input type="hidden" name="replaces" value="${replaces}">
${returnTo === null ? "" : html`<input type="hidden" name="return_to" value="${returnTo}">\n`}<div class="choice">
<button class="primary" name="decision" value="replace" aria-describedby="replace">Replace the account</button>
<p class="note" id="replace">All waiting posts go out from ${account}, at their times.</p>
</div>
<div class="choice">
<button name="decision" value="drafts" aria-describedby="drafts">Replace it, and make scheduled posts drafts</button>
<p class="note" id="drafts">They keep their times. Nothing goes out until somebody schedules it again.</p>
</div>
<div class="choice">
<button class="quiet" name="decision" value="cancel" aria-describedby="cancel">Cancel</button>
<p class="note" id="cancel">Nothing changes. ${unusedAccess(platform)}</p>
</div>
</form>
<p class="note">This page works for 15 minutes, once.</p>`

export const questionPage = (
  { current, next, platform, waiting }: AnotherAccountConnected,
  asked: Omit<Question, "replaces">
) => {
  const before = accountName(platform, current.username)
  const after = accountName(platform, next.username)
  return cardPage(
    200,
    `Connect ${after} instead of ${before}?`,
    html`<p>You gave access to <strong>${after}</strong>. Until now, this workspace's ${platformName(platform)} account
was <strong>${before}</strong>. For ${before}, ${describeWaiting(waiting)}.</p>
${decisionForm(platform, { ...asked, replaces: current.accountId }, after)}`
  )
}

export const tryAgainPage = ({ message, platform }: OutcomePending, question: Question) =>
  cardPage(409, "Not replaced yet", html`<p>${message}.</p>\n${decisionForm(platform, question, "the other account")}`)

const isOver = "You can close this window."
const isScheduled = "Scheduled posts go out at their times. To keep one back, make it a draft."

/**
 * Reports that a decision on another page connected the same account first, and stays valid. The status is 409 if this
 * decision would have made scheduled posts drafts.
 */
export const alreadyConnectedPage = (name: string, wantsDrafts: boolean, waiting: WaitingPosts) => {
  const isConflict = wantsDrafts && waiting.scheduled > 0
  return messagePage(
    isConflict ? 409 : 200,
    isConflict ? "No post was made a draft" : "Connected already",
    `${name} was connected already, so this decision changed no post. For ${name}, ${describeWaiting(waiting)}. ${isConflict ? isScheduled : isOver}`
  )
}
