/** How far ahead posts are checked, in hours. */
export const defaultOutlookHours = 36
export const maxOutlookHours = 72

/** The hour of the day of the evening's check, unless the workspace chooses another. */
export const defaultOutlookHour = 17

/** `needs_you`: the post will not go out as planned unless somebody acts. `note`: it will. */
export const findingLevels = ["needs_you", "note"] as const

/** `unchecked`: a part of the check could not be made, and nothing that needs somebody was found. */
export const outlookStates = ["fine", "needs_you", "unchecked"] as const
