/** The colors of the dashboard. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

/** How many hours a clock has. */
export const clocks = [12, 24] as const
export type Clock = (typeof clocks)[number]

/** The days on which a week begins in some country. */
export const weekStarts = ["monday", "saturday", "sunday"] as const
export type WeekStart = (typeof weekStarts)[number]

/** Notifications that a person can do without. Whatever failed or may be out reaches everybody. */
export const mutableNotifications = ["post.published", "post.approval_requested", "post.draft_overdue"] as const
