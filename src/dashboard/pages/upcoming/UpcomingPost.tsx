import { accountName, platformName } from "../../../domain/plain/platforms.ts"
import type { OutlookPostJson } from "../../api/outlookJson.ts"
import type { Accounts } from "../../shared/accounts/useAccounts.ts"
import { FindingList } from "../../shared/outlook/FindingList.tsx"
import { postPath } from "../../shared/outlook/findingStep.ts"
import { Link } from "../../shared/router.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { StatusBadge } from "../../ui/display/StatusBadge.tsx"
import { Time } from "../../ui/time/Time.tsx"

type FindAccount = Accounts["find"]

interface UpcomingPostProps {
  readonly post: OutlookPostJson
  readonly find: FindAccount
}

const Account = ({
  find,
  platform
}: {
  readonly find: FindAccount
  readonly platform: OutlookPostJson["platforms"][number]
}) => {
  const account = find(platform)
  return (
    <li class="upcoming-account">
      <PlatformMark platform={platform} size={12} />
      <span dir="auto">{account === undefined ? platformName(platform) : accountName(platform, account.username)}</span>
    </li>
  )
}

const UpcomingPost = ({ find, post }: UpcomingPostProps) => {
  const { excerpt, findings, id, platforms, scheduled_at: at, status } = post
  const isUndecided = findings.some(({ code }) => code === "draft_unapproved")
  return (
    <li class="upcoming-post">
      <p class="upcoming-when">
        <Time at={at} as="fixed" />
        {status === "draft" && <StatusBadge status={isUndecided ? "approval" : "draft"} />}
      </p>
      <div class="upcoming-what">
        <Link class="upcoming-link" href={postPath(id)}>
          <bdi>{excerpt === "" ? "A post without text" : excerpt}</bdi>
        </Link>
        <ul class="upcoming-accounts secondary small" aria-label="Accounts">
          {platforms.map((platform) => (
            <Account key={platform} find={find} platform={platform} />
          ))}
        </ul>
      </div>
      {findings.length > 0 && <FindingList post={post} />}
    </li>
  )
}

export interface UpcomingPostsProps {
  readonly posts: ReadonlyArray<OutlookPostJson>
  readonly find: FindAccount
}

export const UpcomingPosts = ({ find, posts }: UpcomingPostsProps) => (
  <ul class="upcoming-posts">
    {posts.map((post) => (
      <UpcomingPost key={post.id} post={post} find={find} />
    ))}
  </ul>
)
