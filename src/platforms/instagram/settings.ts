import type { Settings } from "../Platform.ts"

export const instagram = {
  post_type: {
    kind: "choice",
    description: "The kind of post. A story has no caption.",
    label: "Kind of post on Instagram",
    choices: { post: "Post", story: "Story, without a caption", reel: "Reel" },
    default: "post"
  },
  collaborators: {
    kind: "texts",
    label: "Collaborators on Instagram",
    hint: "Usernames, such as ada, roastery. They can accept the invitation on Instagram.",
    description: "Usernames to invite as collaborators."
  },
  cover_at: {
    kind: "text",
    label: "Second of the reel’s cover",
    hint: "Such as 1.5. Without it Instagram chooses the cover.",
    description: "The second of a reel that is its cover.",
    pattern: /^\d{1,3}(?:\.\d{1,3})?$/,
    expected: "a number of seconds, such as 1.5"
  }
} as const satisfies Settings
