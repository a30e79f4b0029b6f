import { Schema } from "effect"

export const VideoId = Schema.String.check(Schema.isPattern(/^[\w-]{11}$/, { expected: "the id of a video" }))

export const ChannelId = Schema.String.check(Schema.isPattern(/^UC[\w-]{22}$/, { expected: "the id of a channel" }))

/** The title of a video until it is published. It has an id of its own, by which the video is recognized. */
const keyTitle = "Scheduled upload"

export const makeKey = (id: string): string => `${keyTitle} ${id}`

export const isKey = (title: string): boolean => title.startsWith(`${keyTitle} `)
