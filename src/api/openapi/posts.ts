import { Platform } from "../../domain/platform.ts"
import type {
  CreatedPost as CreatedPostSchema,
  Post as PostSchema,
  Validation as ValidationSchema
} from "../postResponses.ts"
import type { CreatePost as CreatePostSchema, UpdatePost as UpdatePostSchema } from "../postBodies.ts"
import type { Dictionary } from "./dictionary.ts"
import { cursor, groupId, postId } from "./samples.ts"

const published = {
  status: "published",
  platform_post_url: "https://x.com/acme/status/1892345678901234567",
  published_at: "2030-01-31T09:00:00.874Z",
  error: null,
  integrations: { platform: "twitter" }
} satisfies (typeof PostSchema.Encoded)["post_targets"][number]

const error = {
  code: "unavailable",
  message: "Bluesky did not answer within 20 seconds",
  retryable: true
} satisfies NonNullable<(typeof PostSchema.Encoded)["post_targets"][number]["error"]>

const retried = {
  status: "pending",
  platform_post_url: null,
  published_at: null,
  error,
  integrations: { platform: "bluesky" }
} satisfies (typeof PostSchema.Encoded)["post_targets"][number]

const post = {
  id: postId,
  status: "publishing",
  content: "Our new release is out.",
  scheduled_at: "2030-01-31T09:00:00.000Z",
  published_at: null,
  tags: ["release"],
  group_id: groupId,
  post_targets: [published, retried],
  created_at: "2030-01-24T16:20:05.123Z"
} satisfies typeof PostSchema.Encoded

const draft = {
  ...post,
  status: "draft",
  scheduled_at: null,
  post_targets: [{ ...retried, error: null, integrations: { platform: "twitter" } }]
} satisfies typeof PostSchema.Encoded

const created = {
  id: postId,
  status: "scheduled",
  scheduled_at: "2030-01-31T09:00:00.000Z",
  platforms: ["twitter", "bluesky"]
} satisfies typeof CreatedPostSchema.Encoded

const validation = {
  valid: false,
  errors: [{ path: ["platform_overrides", "twitter"], message: "twitter takes 280, this is 312" }],
  targets: [
    { platform: "twitter", length: 312, limit: 280, valid: false },
    { platform: "bluesky", length: 23, limit: 300, valid: true }
  ]
} satisfies typeof ValidationSchema.Encoded

const create = {
  content: "Our new release is out.",
  platforms: ["twitter", "bluesky"],
  schedule_at: "2030-01-31T10:00:00+01:00",
  tags: ["release"],
  platform_overrides: { bluesky: "Our new release is out. Thank you for all the feedback!" },
  platform_settings: { twitter: { who_can_reply: "following" } },
  group_id: groupId
} satisfies typeof CreatePostSchema.Encoded

const update = {
  content: "Our new release is out today.",
  scheduled_at: "2030-01-31T12:00:00Z",
  tags: ["release", "today"],
  status: "scheduled"
} satisfies typeof UpdatePostSchema.Encoded

const overrides = Object.fromEntries(
  Platform.literals.map((platform) => [`platform_overrides.${platform}`, `The text for ${platform}.`])
)

const settings = Object.fromEntries(
  Object.entries({
    twitter: "X.",
    "twitter.who_can_reply": "Who may reply: `mentionedUsers` are those whom the text mentions.",
    bluesky: "There are none.",
    linkedin: "There are none. In platform review.",
    instagram: "In platform review.",
    "instagram.post_type": "What it is made as.",
    "instagram.collaborators": "Usernames to invite as collaborators.",
    youtube: "In platform review.",
    "youtube.title": "The video's title; a video needs one.",
    "youtube.privacy": "Who can see it.",
    "youtube.made_for_kids": "Whether it is directed to children.",
    "youtube.youtube_tags": "Tags by which it is found.",
    "youtube.thumbnail_url": "A thumbnail of your own: JPEG or PNG, up to 2 MB.",
    tiktok: "In platform review.",
    "tiktok.tiktok_title": "The title, in place of the one made from the text.",
    "tiktok.privacy_level": "Who can see it.",
    "tiktok.allow_duet": "Whether others may duet with it.",
    "tiktok.allow_stitch": "Whether others may stitch it.",
    "tiktok.allow_comment": "Whether others may comment on it.",
    threads: "There are none. In platform review.",
    facebook: "There are none. In platform review."
  }).map(([member, text]) => [`platform_settings.${member}`, text])
)

/** What the reference says of posts and groups. */
export const posts: Dictionary = {
  CreatePost: {
    description: "A post to create. A member that is not listed here is an error.",
    members: {
      content: "The text, on every platform that has no other one in `platform_overrides`. Not blank.",
      platforms: "Where it goes: platforms on which the workspace has connected an account.",
      schedule_at:
        "When it is published: at most 180 days ahead; up to 5 minutes past counts as now. Without it the post is a draft.",
      tags: "Words for your own use; never published.",
      platform_overrides: "The text for a platform, in place of `content`.",
      ...overrides,
      platform_settings: "Settings by platform; those that a platform does not list are ignored.",
      ...settings,
      group_id: "Any UUID of your choice, which ties the posts of a thread or campaign together.",
      status: "`draft` keeps the time without scheduling the post; `scheduled` needs a time. Normally left out."
    },
    examples: {
      draft: { content: create.content, platforms: create.platforms },
      scheduled: create
    }
  },
  UpdatePost: {
    description:
      "What to change of a post; what is left out stays as it is. A member that is not listed here is an error.",
    members: {
      content: "The text. Not blank.",
      scheduled_at: "When it is published, as `schedule_at` of a new post; null takes the time from a draft.",
      tags: "All tags, in place of those it has.",
      status: "`scheduled` schedules a draft that has or gets a time, `draft` takes a scheduled post back."
    },
    examples: { reschedule: update, unschedule: { status: "draft", scheduled_at: null } }
  },
  Post: {
    description: "A post, with a target for each platform it goes to.",
    members: {
      id: "Made by the service: a UUID of version 7, so that posts sort by the time they were made.",
      created_at: "When it was created.",
      content: "The text, where a platform has no other one.",
      scheduled_at: "When it is due, or was; null for a draft without a time.",
      published_at: "When it was out on all of its platforms; null until then.",
      tags: "Words for the workspace's own use; never published.",
      group_id: "Ties it to the other posts of a thread or campaign; null where it is in no group.",
      post_targets: "One for each platform."
    },
    examples: { publishing: post, draft }
  },
  PostTarget: {
    description: "A post on one platform.",
    members: {
      platform_post_url: "Where it can be seen; null while it is not published.",
      published_at: "When the platform took it; null while it is not published.",
      error:
        "Why it failed, or while it is pending, why its last attempt did not succeed; null where nothing went wrong.",
      integrations: "The account that it goes to."
    },
    examples: { published, retried }
  },
  TargetError: {
    description: "What went wrong on a platform.",
    members: {
      code:
        "`rejected`: the platform refused the post. `rate_limited`, `unavailable`: it is tried again. `gave_up`: after 12 attempts or 24 hours. " +
        "`needs_reconnect`: the account has to be connected again. `outcome_unknown`: it may be out, so look before you publish it again. " +
        "`missed`: the service was not running at its time, nor for 24 hours after it.",
      message: "The same in words, for people.",
      retryable: "Whether publishing again can be expected to help."
    },
    examples: { unavailable: error }
  },
  OnePost: { description: "A post.", examples: { post: { data: post } } },
  PostPage: {
    description: "A page of posts, newest first.",
    members: {
      data: "The posts.",
      next_cursor: "What `cursor` has to be for the next page; null on the last one."
    },
    examples: {
      page: { data: [post], next_cursor: cursor }
    }
  },
  CreatedPost: {
    description: "The post was created; `Location` is its address.",
    members: {
      id: "The post's id.",
      scheduled_at: "When it is due; null for a draft without a time.",
      platforms: "Where it goes."
    },
    examples: { scheduled: created, draft: { ...created, status: "draft", scheduled_at: null } }
  },
  ValidationAnswer: {
    description: "What creating the post would come to.",
    examples: { invalid: { data: validation } }
  },
  Validation: {
    description: "Whether a post could be created, and how long its text is on each platform that is live.",
    members: {
      valid: "Whether creating it would succeed.",
      errors: "Everything that keeps it from being created.",
      targets: "How each live platform measures its text.",
      "targets.length": "In the platform's own unit: weighted characters on twitter, graphemes on bluesky.",
      "targets.limit": "How long the platform lets it be, in the same unit.",
      "targets.valid": "Whether the platform takes it."
    },
    examples: { invalid: validation }
  },
  DeletedPost: {
    description: "The post was deleted.",
    members: {
      data: "What was deleted.",
      "data.id": "The post's id.",
      "data.deleted": "Always true."
    },
    examples: { deleted: { data: { id: postId, deleted: true } } }
  },
  GroupPosts: {
    description: "The posts of a group, newest first.",
    members: { data: "The posts." },
    examples: { group: { data: [post] }, unknown: { data: [] } }
  },
  DeletedGroup: {
    description: "The posts of the group were deleted.",
    members: {
      data: "What was deleted.",
      "data.group_id": "The group's id.",
      "data.deleted": "How many posts that were."
    },
    examples: { deleted: { data: { group_id: groupId, deleted: 3 } } }
  }
}
