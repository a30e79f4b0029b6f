import { namePlatforms } from "../../../domain/plain/platforms.ts"
import type { Platform } from "../../../domain/platform.ts"
import { firstWords, type PostJson, postPage } from "../../api/posts.ts"
import { isAwaitingApproval } from "../../api/postStatus.ts"
import { useQuery } from "../../api/query.ts"
import { slotsIn } from "../../api/slots.ts"
import { Chip } from "../../ui/controls/Chip.tsx"
import { formatClock, formatDay, startOfDay } from "../../ui/time/time.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { TimePicker, type TimePickerProps } from "../../ui/time/TimePicker.tsx"
import { chosenInstant } from "../../ui/time/zone.ts"
import { freeHour, freeSlots, isTaken, proposedTime, usualTime } from "./freeTimes.ts"

interface PlanOptions {
  /** The post whose time is chosen; undefined for a new one. */
  readonly postId: string | undefined
  readonly platforms: ReadonlyArray<Platform>
}

const platformsOf = (post: PostJson): ReadonlyArray<Platform> =>
  post.post_targets.map(({ integrations }) => integrations.platform)

export const plannedAs = (post: PostJson): PlanOptions => ({ postId: post.id, platforms: platformsOf(post) })

const maxPosts = 100

/** Undefined until it is known. */
const usePlan = (from: Date, to: Date, { platforms, postId }: PlanOptions) => {
  const now = useNow()
  const posts = useQuery(
    postPage({
      scheduled_from: from.toISOString(),
      scheduled_to: to.toISOString(),
      sort: "scheduled_at",
      order: "asc",
      limit: maxPosts
    })
  ).data?.data
  const slots = useQuery(slotsIn(from, to)).data?.data
  return (
    posts &&
    slots && {
      posts: posts.filter(({ id }) => id !== postId),
      slots: freeSlots(slots, now, { platforms, postId })
    }
  )
}

const maxWords = 40

const shortWords = (post: PostJson): string => {
  const words = firstWords(post)
  return words.length > maxWords ? `${words.slice(0, maxWords - 1).trimEnd()}…` : words
}

const maxListed = 4
const maxFree = 5

const stateOf = (post: PostJson): string =>
  isAwaitingApproval(post) ? ", awaiting approval" : post.status === "draft" ? ", a draft" : ""

interface DayPlanProps extends PlanOptions {
  readonly at: string
  readonly onChoose: (at: string) => void
}

/** The other posts of the chosen day, its free times, and if the chosen minute is taken. */
const DayPlan = ({ at, onChoose, ...options }: DayPlanProps) => {
  const now = useNow()
  const time = new Date(at)
  const day = startOfDay(time)
  const plan = usePlan(day, startOfDay(day, 1), options)
  if (plan === undefined) return null
  const taking = plan.posts.filter(
    (post) => isTaken(time, [post]) && platformsOf(post).some((platform) => options.platforms.includes(platform))
  )
  const shared = options.platforms.filter((platform) => taking.some((post) => platformsOf(post).includes(platform)))
  const hour = freeHour(day, now, plan.posts)
  const free = plan.slots.length > 0 ? plan.slots.slice(0, maxFree) : hour === undefined ? [] : [hour]
  const listed = plan.posts.slice(0, maxListed)
  const [first] = taking
  return (
    <>
      {first !== undefined && (
        <p class="day-plan-taken status-unknown" role="status">
          {formatClock(time)} is taken on {namePlatforms(shared)} by “<bdi>{shortWords(first)}</bdi>”.
        </p>
      )}
      {free.length > 0 && (
        <div class="time-quick" role="group" aria-label="What is free">
          <span class="secondary small">Free {formatDay(day, now)}:</span>
          {free.map((slot) => (
            <Chip
              key={slot.getTime()}
              pressed={slot.getTime() === time.getTime()}
              onClick={() => onChoose(plan.slots.length > 0 ? slot.toISOString() : chosenInstant(slot))}
            >
              {formatClock(slot)}
            </Chip>
          ))}
        </div>
      )}
      {listed.length > 0 && (
        <ul class="day-plan-posts secondary small" aria-label="Also planned">
          {listed.map((post) => (
            <li key={post.id} class="truncate" dir="auto">
              <span class="numbers">{formatClock(new Date(post.scheduled_at ?? 0))}</span> {firstWords(post)}
              {stateOf(post)}
            </li>
          ))}
          {plan.posts.length > maxListed && <li>and {plan.posts.length - maxListed} more</li>}
        </ul>
      )}
    </>
  )
}

/** The days of the quick choices. */
const quickDays = 9

export type PlannedTimeProps = TimePickerProps & PlanOptions

/** A picker that knows what is planned: it proposes free times, and says if the chosen minute is taken. */
export const PlannedTime = ({ platforms, postId, ...picker }: PlannedTimeProps) => {
  const now = useNow()
  const today = startOfDay(now)
  const options = { platforms, postId }
  const plan = usePlan(today, startOfDay(today, quickDays), options)
  return (
    <>
      <TimePicker {...picker} timeOn={(day) => (plan && proposedTime(day, now, plan)) ?? usualTime(day)} />
      <div class="day-plan">
        {picker.value !== null && <DayPlan at={picker.value} onChoose={picker.onChange} {...options} />}
      </div>
    </>
  )
}
