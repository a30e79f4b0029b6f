import { Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import {
  type AnotherAccountConnected,
  describeWaiting,
  type OutcomePending,
  type WaitingPosts
} from "../../domain/accountChange.ts"
import { html, type Html } from "../../domain/html.ts"
import { platformNames } from "../../domain/platform.ts"

/** Where the page's form goes. */
export const decisionPath = "/oauth/twitter/decision"

const headers = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // With the default no-referrer, browsers would send the form with `Origin: null`.
  "referrer-policy": "same-origin"
}

const page = (status: number, title: string, main: Html) =>
  HttpServerResponse.text(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`.markup,
    { status, contentType: "text/html; charset=utf-8", headers }
  )

/** A page that says what has happened. */
export const messagePage = (status: number, title: string, message: string) =>
  page(status, title, html`<p>${message}</p>`)

interface Question {
  readonly token: Redacted.Redacted
  /** The id of the account that would be replaced. */
  readonly replaces: string
  /** The path of the service to go on to; null for a page that says what was done. */
  readonly returnTo: string | null
}

const decisionForm = ({
  replaces,
  returnTo,
  token
}: Question): Html => html`<form method="post" action="${decisionPath}">
<input type="hidden" name="token" value="${Redacted.value(token)}">
<input type="hidden" name="replaces" value="${replaces}">
${returnTo === null ? "" : html`<input type="hidden" name="return_to" value="${returnTo}">\n`}<p><button name="decision" value="replace">Replace the account</button><br>
Everything that waits goes out from the other account, at its time.</p>
<p><button name="decision" value="drafts">Replace it, and make scheduled posts drafts</button><br>
They keep their times. Nothing goes out until somebody schedules it again.</p>
<p><button name="decision" value="cancel">Cancel</button><br>
Nothing changes, and the access that you have just given is ended.</p>
</form>
<p>This page works for 15 minutes, once.</p>`

/** Asks what becomes of the posts that wait for the account before. */
export const questionPage = (
  { current, next, platform, waiting }: AnotherAccountConnected,
  asked: Omit<Question, "replaces">
) =>
  page(
    200,
    `Connect @${next.username} instead of @${current.username}?`,
    html`<p>You gave access to <strong>@${next.username}</strong>. Until now, this workspace's ${platformNames[platform]} account
was <strong>@${current.username}</strong>. For @${current.username}, ${describeWaiting(waiting)}.</p>
${decisionForm({ ...asked, replaces: current.accountId })}`
  )

/** Asks again, because the account can't be replaced yet. */
export const tryAgainPage = ({ message }: OutcomePending, question: Question) =>
  page(409, "Not replaced yet", html`<p>${message}.</p>\n${decisionForm(question)}`)

const isOver = "You can close this window."
const isScheduled = "Scheduled posts go out at their times. To keep one back, make it a draft."

/**
 * Says that a decision came after another one for the same account, from another page: that one stands. It is a conflict
 * where posts were to become drafts and are scheduled.
 */
export const alreadyConnectedPage = (username: string, wantsDrafts: boolean, waiting: WaitingPosts) => {
  const isConflict = wantsDrafts && waiting.scheduled > 0
  return messagePage(
    isConflict ? 409 : 200,
    isConflict ? "No post was made a draft" : "Connected already",
    `@${username} was connected already, so this decision changed no post. For @${username}, ${describeWaiting(waiting)}. ${isConflict ? isScheduled : isOver}`
  )
}
