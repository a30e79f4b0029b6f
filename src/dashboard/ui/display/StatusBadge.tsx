import { classes } from "../classes.ts"
import { Icon, type IconName } from "../Icon.tsx"

/** The status that people see: the post's or target's own, a pending approval, or an unknown outcome. */
export type ShownStatus =
  | "draft"
  | "approval"
  | "scheduled"
  | "publishing"
  | "retrying"
  | "limited"
  | "published"
  | "failed"
  | "unknown"

export const statuses: Readonly<Record<ShownStatus, { readonly word: string; readonly icon: IconName }>> = {
  draft: { word: "Draft", icon: "pencil" },
  approval: { word: "Awaiting approval", icon: "hand" },
  scheduled: { word: "Scheduled", icon: "clock" },
  publishing: { word: "Publishing", icon: "arrowUp" },
  retrying: { word: "Trying again", icon: "refresh" },
  limited: { word: "Waits for the limit", icon: "clock" },
  published: { word: "Published", icon: "check" },
  failed: { word: "Failed", icon: "cross" },
  unknown: { word: "Unknown", icon: "question" }
}

export interface StatusBadgeProps {
  readonly status: ShownStatus
  /** True to show only the icon. The word is read aloud and shown on hover. */
  readonly compact?: boolean
}

export const StatusBadge = ({ compact = false, status }: StatusBadgeProps) => {
  const { icon, word } = statuses[status]
  return (
    <span class={classes("status", `status-${status}`, compact && "status-compact")} title={compact ? word : undefined}>
      <Icon name={icon} size={compact ? 14 : 12} />
      <span class={compact ? "only-read" : undefined}>{word}</span>
    </span>
  )
}
