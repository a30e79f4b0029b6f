import { type Array as Arr, DateTime, Struct } from "effect"
import { counted } from "../domain/counted.ts"
import { excerpt } from "../domain/excerpt.ts"
import type { IntegrationId, PostId } from "../domain/ids.ts"
import { maxToldFindings } from "../domain/notification.ts"
import type { CheckedOutlook } from "../domain/outlook/checkedOutlook.ts"
import { describeOutlook } from "../domain/outlook/outlookMessage.ts"
import { channelKindNames } from "../domain/plain/chat.ts"
import { namePlatforms, platformName, withPlatform } from "../domain/plain/platforms.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { mayBePublished } from "../domain/plain/posts.ts"
import type { ExpiringAccount } from "../repo/integrations/expiringAccess.ts"
import type { DisabledChannel } from "../repo/notifications/Deliveries.ts"
import type { WaitingPost } from "../repo/notifications/approvalReminders.ts"
import type { NewNotification } from "../repo/notifications/notifications.ts"
import type { OverdueDraft } from "../repo/notifications/overdueDrafts.ts"
import { storable } from "../repo/postgres/storable.ts"
import type { DisabledWebhook } from "../repo/webhooks/Webhooks.ts"
import type { EndedTarget, SettledPost } from "../repo/targets/Targets.ts"

export const postPublished = (post: SettledPost): NewNotification => {
  const platforms = post.targets.map((target) => target.platform)
  return {
    title: `Published on ${namePlatforms(platforms)}`,
    message: excerpt(post.content),
    actionUrl: `/posts/${post.postId}`,
    event: { type: "post.published", metadata: { post_id: post.postId, platforms } }
  }
}

interface Failure {
  readonly platform: LivePlatform
  readonly code: string
  readonly message: string
  /** The account's. */
  readonly username?: string | undefined
}

export const listFailures = (post: SettledPost): ReadonlyArray<Failure> =>
  post.targets.flatMap(({ error, platform, username }) =>
    error === null ? [] : [{ platform, code: error.code, message: error.message, username: username ?? undefined }]
  )

const describeFailure = ({ message, platform, username }: Failure): string => {
  const name = platformName(platform)
  return username === undefined ? withPlatform(name, message) : `${username} on ${name}: ${message}`
}

const nameFailed = (failures: ReadonlyArray<Failure>) => namePlatforms(failures.map(({ platform }) => platform))

const failureTitle = (failures: ReadonlyArray<Failure>): string => {
  const unconfirmed = failures.filter(mayBePublished)
  const refused = failures.filter((failure) => !mayBePublished(failure))
  if (unconfirmed.length === 0) return `Not published on ${nameFailed(refused)}`
  if (refused.length === 0) return `Not confirmed by ${nameFailed(unconfirmed)}`
  return `Not published on ${nameFailed(refused)}, not confirmed by ${nameFailed(unconfirmed)}`
}

/** `account` is the only cause of the failure. Posts that failed because of one account share a notification. */
export const postFailed = (
  post: SettledPost,
  failures: Arr.NonEmptyReadonlyArray<Failure>,
  account: IntegrationId | undefined
): NewNotification => {
  const [{ code, platform }] = failures
  const listed = failures.map((each) => Struct.pick(each, ["platform", "code", "message"]))
  const metadata = { post_id: post.postId, platform, code, failures: listed }
  const message = `“${excerpt(post.content)}” – ${failures.map(describeFailure).join("; ")}`
  const failed = { title: failureTitle(failures), message, actionUrl: `/posts/${post.postId}` }
  if (account === undefined) return { ...failed, event: { type: "post.failed", metadata } }
  return {
    ...failed,
    event: { type: "post.failed", metadata: { ...metadata, integration_id: account } },
    counted: {
      integrationId: account,
      title: `{count} posts were not published on ${platformName(platform)}`,
      message: `Each post's page says why. The latest: ${message}`,
      actionUrl: "/accounts"
    }
  }
}

/** The service still asks the platform, so that nobody has to act. */
export const postUnconfirmed = (
  post: SettledPost,
  { integration: { id, username }, platform }: Pick<EndedTarget["claim"], "integration" | "platform">,
  reason: string
): NewNotification => ({
  title: `Not confirmed by ${platformName(platform)} yet`,
  message: `“${excerpt(post.content)}”${username === undefined ? "" : `, as ${username}`} – ${reason}`,
  actionUrl: `/posts/${post.postId}`,
  event: { type: "post.unconfirmed", metadata: { post_id: post.postId, platform, integration_id: id } }
})

export const approvalRequested = (post: {
  readonly id: PostId
  readonly scheduledAt: DateTime.Utc | null
  readonly content: string
}): NewNotification => ({
  title: "A post waits for approval",
  message: excerpt(post.content),
  actionUrl: `/posts/${post.id}`,
  event: { type: "post.approval_requested", metadata: { post_id: post.id, scheduled_at: post.scheduledAt } }
})

const reminders = {
  waiting: { title: "A post still waits for approval", reason: "has waited for a day: approve or reject it" },
  due: {
    title: "A post waits for approval, and its time is near",
    reason: "is published at its time only if it is approved before"
  }
} as const

export const approvalReminder = ({ content, id, reminder, scheduledAt }: WaitingPost): NewNotification => ({
  title: reminders[reminder].title,
  message: `“${excerpt(content)}” ${reminders[reminder].reason}`,
  actionUrl: `/posts/${id}`,
  event: { type: "post.approval_requested", metadata: { post_id: id, scheduled_at: scheduledAt, reminder } }
})

const draftOverdue = ({ awaitsApproval, content, id, scheduledAt }: OverdueDraft): NewNotification => ({
  title: "A draft's time has passed",
  message: `“${excerpt(content)}” was not published, as it ${
    awaitsApproval
      ? "still waits for approval: approve it with another time, or reject it"
      : "is still a draft: give it another time, or publish it"
  }`,
  actionUrl: `/posts/${id}`,
  event: { type: "post.draft_overdue", metadata: { post_id: id, scheduled_at: scheduledAt } }
})

/** Above this, one notification covers all overdue drafts, so that other notifications stay visible. */
const maxSingleDrafts = 3

export const draftsOverdue = (drafts: Arr.NonEmptyReadonlyArray<OverdueDraft>): ReadonlyArray<NewNotification> => {
  if (drafts.length <= maxSingleDrafts) return drafts.map(draftOverdue)
  const [{ content, id, scheduledAt }] = drafts
  const count = drafts.length
  return [
    {
      title: `The times of ${count.toLocaleString("en")} drafts have passed`,
      message: `None of them was published, as they are still drafts: give them another time, or publish them. The first: “${excerpt(content)}”`,
      actionUrl: "/posts?status=draft",
      event: { type: "post.draft_overdue", metadata: { post_id: id, scheduled_at: scheduledAt, count } }
    }
  ]
}

export interface NamedAccount {
  readonly id: IntegrationId
  readonly platform: LivePlatform
  readonly username: string
}

export const integrationDisconnected = (integration: NamedAccount, reason: string): NewNotification => ({
  title: `Connect ${platformName(integration.platform)} again`,
  message: `The account ${integration.username} no longer accepts posts: ${reason}`,
  actionUrl: "/accounts",
  event: {
    type: "integration.disconnected",
    metadata: { integration_id: integration.id, platform: integration.platform, reason: storable(reason) }
  }
})

export const integrationExpiring = ({
  accessUntil,
  days,
  id,
  platform,
  username
}: ExpiringAccount): NewNotification => ({
  title: `Connect ${platformName(platform)} again within ${counted(days, "day")}`,
  message: `The access to ${username} ends on ${DateTime.formatIsoDateUtc(accessUntil)}. Posts after that will fail unless the account is connected again`,
  actionUrl: "/accounts",
  event: {
    type: "integration.expiring",
    metadata: { integration_id: id, platform, access_until: accessUntil, days }
  }
})

/** The previous version accepts only some types of events, so this notification uses one of these types. */
export const mediaNotAllowed = (integration: NamedAccount, reason: string): NewNotification => ({
  ...integrationDisconnected(integration, reason),
  title: `Connect ${platformName(integration.platform)} again to publish media`,
  message: `The account ${integration.username} can't post images, GIFs or videos: ${reason}. Posts without them still go out.`
})

const disabledBecause = {
  gone: "it responded with 410, which says that it is gone",
  failing: "every delivery of five days failed"
} as const

export const webhookDisabled = ({ id, reason, url }: DisabledWebhook): NewNotification => ({
  title: "A webhook was disabled",
  // Only the host, because the rest of the URL may hold a secret.
  message: `${URL.parse(url)?.host ?? "A webhook"} gets no more events: ${disabledBecause[reason]}`,
  actionUrl: "/settings/webhooks",
  event: { type: "webhook.disabled", metadata: { webhook_id: id, reason } }
})

export const channelDisabled = ({ id, kind, name }: DisabledChannel): NewNotification => ({
  title: "A channel gets no more notifications",
  message: `${channelKindNames[kind]} says that the URL of ${name} does not exist any more: give the channel another one`,
  actionUrl: "/settings/chat",
  event: { type: "channel.disabled", metadata: { channel_id: id } }
})

export const outlookChecked = (
  outlook: CheckedOutlook,
  when: { readonly hour: number; readonly timeZone: string }
): NewNotification => {
  const { counts, posts, until } = outlook
  const findings = posts.flatMap(({ findings: found, id }) =>
    found.map(({ code, level }) => ({ post_id: id, code, level }))
  )
  return {
    ...describeOutlook(outlook, when),
    actionUrl: "/upcoming",
    event: {
      type: "outlook.checked",
      metadata: { until, ...counts, findings: findings.slice(0, maxToldFindings) }
    }
  }
}
