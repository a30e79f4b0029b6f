export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

export const clocks = [12, 24] as const
export type Clock = (typeof clocks)[number]

/** The days on which a week begins in some country. */
export const weekStarts = ["monday", "saturday", "sunday"] as const
export type WeekStart = (typeof weekStarts)[number]

/** Notifications about failures, and about posts that might be published, can't be muted. */
export const mutableNotifications = ["post.published", "post.approval_requested", "post.draft_overdue"] as const
