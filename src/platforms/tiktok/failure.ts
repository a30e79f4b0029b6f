import { exportHints } from "../../domain/media/exportHints.ts"
import * as limits from "./limits.ts"

interface Failure {
  readonly because: string
  readonly help: string
}

/** A failed post can't be changed, but a copy of it can. */
const otherVideo = (hint: string): string => `The same video would fail again. Copy the post with another: ${hint}`

/** By TikTok's name for the reason. */
const failures: Readonly<Record<string, Failure>> = {
  file_format_check_failed: {
    because: "it does not accept the video's format",
    help: otherVideo("export it as MP4 with H.264")
  },
  duration_check_failed: {
    because: "the video is too long or too short",
    help: otherVideo("make it as long as TikTok allows this account")
  },
  frame_rate_check_failed: {
    because: "it does not accept the video's frame rate",
    help: otherVideo(exportHints.frameRate)
  },
  picture_size_check_failed: {
    because: "it does not accept the video's width and height",
    help: otherVideo(`export it with sides of ${limits.shortestSide} to ${limits.longestSide} pixels`)
  },
  internal: { because: "it had an error of its own", help: "Publish it again" },
  auth_removed: {
    because: "the person took the access back",
    help: "Connect the account again first, and then publish it again"
  },
  spam_risk_too_many_posts: {
    because: "the account has published too many posts in 24 hours, with all applications together",
    help: "Publish it again some hours later"
  },
  spam_risk_user_banned_from_posting: {
    because: "it lets this account publish nothing at the moment",
    help: "Look in TikTok's application for the reason and the end of the ban. Until then, the account can't post"
  },
  spam_risk_text: {
    because: "it takes the text for spam",
    help: "The same text would fail again. Copy the post with another text"
  },
  spam_risk: {
    because: "it takes the post for spam",
    help: "The same post would fail again. Copy the post with another text or video"
  }
}

export const explainFailure = (reason: string): string =>
  `TikTok did not publish this video, because ${failures[reason]?.because ?? `of ${reason}`}`

/** A person's next step. Publishing the post again is one only if it can help. */
export const helpAfter = (reason: string): string =>
  failures[reason]?.help ?? "Look in TikTok's application for a notice about it"
