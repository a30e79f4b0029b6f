import { webhookEventTypes } from "../../../domain/plain/events.ts"
import type { WebhookJson } from "../../api/webhooks.ts"

export type EventType = (typeof webhookEventTypes)[number]

export const eventNames: Readonly<Record<EventType, string>> = {
  "post.scheduled": "A post was scheduled",
  "post.published": "A post was published everywhere",
  "post.failed": "A post failed",
  "post.target.published": "A post was published on one platform",
  "post.target.failed": "A post failed on one platform",
  "post.approval_requested": "Approval was requested",
  "post.approved": "A post was approved",
  "post.rejected": "A post was rejected",
  "post.deleted": "A post was deleted",
  "integration.connected": "An account was connected",
  "integration.disconnected": "An account was disconnected"
}

const isEventType = (name: string): name is EventType => webhookEventTypes.some((type) => type === name)

/** People can't choose a test event, so its type has no name. */
export const describeEvent = (type: string): string => (isEventType(type) ? eventNames[type] : type)

/** The most names that fit into a line or two. */
const maxNamed = 3

export const describeEvents = (events: WebhookJson["events"]): string => {
  if (events === null) return "All events"
  if (events.length <= maxNamed) return events.map(describeEvent).join(", ")
  return `${events.length} kinds of events`
}
