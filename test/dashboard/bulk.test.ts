import { afterEach, assert, describe, it } from "@effect/vitest"
import type { ApiError } from "../../src/dashboard/api/errors.ts"
import {
  afterConflict,
  type ManyChoice,
  nameCount,
  type PostRequest,
  type SendOutcome
} from "../../src/dashboard/shared/actions/action.ts"
import { approve } from "../../src/dashboard/shared/actions/decide.ts"
import {
  addTag,
  manyActions,
  moveByDays,
  moveToClock,
  removeTag,
  tagsOf
} from "../../src/dashboard/shared/actions/manyActions.ts"
import { schedule, unschedule } from "../../src/dashboard/shared/actions/publish.ts"
import { remove } from "../../src/dashboard/shared/actions/remove.ts"
import { afterRepetition, hasChange } from "../../src/dashboard/shared/bulk/afterRepetition.ts"
import { planChoice } from "../../src/dashboard/shared/bulk/plan.ts"
import { atOnce, type JobResult, runJobs } from "../../src/dashboard/shared/bulk/runJobs.ts"
import {
  between,
  maxSelected,
  noSelection,
  withNewer,
  withoutPosts,
  withPosts
} from "../../src/dashboard/shared/bulk/selection.ts"
import { summarize, undoOf } from "../../src/dashboard/shared/bulk/summary.ts"
import { timeSettings } from "../../src/dashboard/ui/time/zone.ts"
import { post, type PostJson } from "./post.ts"

const now = new Date("2026-10-20T10:00:00Z")

const target = (status: PostJson["post_targets"][number]["status"]): PostJson["post_targets"][number] => ({
  status,
  platform_post_url: null,
  published_at: null,
  error: null,
  account_id: null,
  parts: null,
  copied_to: null,
  integrations: { platform: "twitter" }
})

const waiting = {
  status: "draft",
  approval: {
    status: "requested",
    revision: 1,
    outdated: false,
    requested_at: "2026-10-01T07:00:00.000Z",
    decided_at: null,
    decided_by: null,
    reason: null,
    requested: null
  }
} as const

const plan = (posts: ReadonlyArray<PostJson>, choice: ManyChoice) =>
  planChoice(
    posts.map((one) => ({ post: one, seen: one.revision })),
    choice,
    now
  )

const failure = (status: number, code: string): { readonly ok: false; readonly error: ApiError } => {
  const error: ApiError = {
    _tag: "ApiError",
    status,
    code,
    detail: code,
    errors: [],
    retryAfter: null,
    requestId: null,
    problem: {}
  }
  return { ok: false, error }
}

afterEach(() => {
  timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: null })
})

describe("What an action on many posts is for each of them", () => {
  it("A move by days keeps the time of the day where clocks change, in the zone of the person", () => {
    timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: "Europe/Berlin" })
    const { jobs } = plan([post("a")], moveByDays(1))
    assert.deepStrictEqual(jobs[0]?.request, { kind: "change", body: { scheduled_at: "2026-10-25T08:00:00.000Z" } })
    timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: "Asia/Tokyo" })
    const there = plan([post("a")], moveByDays(1))
    assert.deepStrictEqual(there.jobs[0]?.request, {
      kind: "change",
      body: { scheduled_at: "2026-10-25T07:00:00.000Z" }
    })
  })

  it("A move to a time of the day stays on the day of the person's zone", () => {
    timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: "Asia/Tokyo" })
    const late = post("a", { scheduled_at: "2026-10-24T20:00:00.000Z" })
    const { jobs } = plan([late], moveToClock(9, 30))
    assert.deepStrictEqual(jobs[0]?.request, { kind: "change", body: { scheduled_at: "2026-10-25T00:30:00.000Z" } })
  })

  it("What is out, going out or failed is not moved, nor what has no time, nor into the past", () => {
    const posts = [
      post("a", { status: "published" }),
      post("b", { status: "publishing" }),
      post("c", { status: "failed" }),
      post("d", { status: "draft", scheduled_at: null }),
      post("e", { scheduled_at: "2026-10-20T18:00:00.000Z" })
    ]
    const { jobs, skipped } = plan(posts, moveByDays(-1))
    assert.deepStrictEqual(jobs, [])
    assert.deepStrictEqual(
      skipped.map(({ why }) => why),
      [
        "Published posts stay as they are.",
        "Posts that are going out now can’t be changed.",
        "Failed posts can’t be changed. Open one to publish it again.",
        "These have no time that could be moved.",
        "That time has passed. A post can only go out later."
      ]
    )
  })

  it("A tag is added after the others once, and taken from those that have it", () => {
    const posts = [post("a", { tags: ["one"] }), post("b", { tags: ["two", "one"] })]
    const added = plan(posts, addTag("two"))
    assert.deepStrictEqual(
      added.jobs.map(({ request }) => request),
      [{ kind: "change", body: { tags: ["one", "two"] } }]
    )
    assert.strictEqual(added.skipped.length, 1)
    const removed = plan(posts, removeTag("two"))
    assert.deepStrictEqual(
      removed.jobs.map(({ request }) => request),
      [{ kind: "change", body: { tags: ["one"] } }]
    )
    const marked = plan([post("d", { tags: ["a\u200Bb", "a\nb", "\u2800"] })], removeTag("a\u200Bb"))
    assert.deepStrictEqual(
      marked.jobs.map(({ request }) => request),
      [{ kind: "change", body: { tags: ["a b"] } }]
    )
    const old = plan([post("c", { tags: ["", "one", "one"] })], addTag("two"))
    assert.deepStrictEqual(
      old.jobs.map(({ request }) => request),
      [{ kind: "change", body: { tags: ["one", "two"] } }],
      "What was stored before tags had to be something would be refused."
    )
    assert.deepStrictEqual(tagsOf(posts), [
      ["one", 2],
      ["two", 1]
    ])
  })

  it("Only what waits for approval with a time to come is approved, at the revision that was seen", () => {
    const posts = [
      post("a", waiting),
      post("b"),
      post("c", { ...waiting, scheduled_at: null }),
      post("d", { ...waiting, scheduled_at: "2026-10-19T07:00:00.000Z" })
    ]
    const { jobs, skipped } = plan(posts, approve)
    assert.deepStrictEqual(
      jobs.map(({ post: { id } }) => id),
      ["a"]
    )
    assert.strictEqual(new Set(skipped.map(({ why }) => why)).size, 3)
    const unseen = planChoice([{ post: post("a", waiting), seen: 0 }], approve, now)
    assert.deepStrictEqual(unseen.jobs, [])
  })

  it("A post that has the time, the tags or the status already is as a change wants it, and no other", () => {
    const there = post("a", { tags: ["one", "two"] })
    const has = (body: Extract<PostRequest, { kind: "change" }>["body"]) => hasChange(there, { kind: "change", body })
    assert.deepStrictEqual(
      [
        has({ scheduled_at: "2026-10-24T09:00:00+02:00" }),
        has({ scheduled_at: "2026-10-24T08:00:00.000Z" }),
        has({ scheduled_at: null }),
        has({ tags: ["one", "two"] }),
        has({ tags: ["two", "one"] }),
        has({ tags: ["one"] }),
        has({ status: "draft" }),
        hasChange(there, { kind: "delete" })
      ],
      [true, false, false, true, false, false, false, false]
    )
    assert.isTrue(hasChange(post("a", { status: "draft" }), { kind: "change", body: { status: "draft" } }))
  })

  it("Drafts with a time to come are scheduled, the others are named with what helps, and that can be undone", () => {
    const draft = { status: "draft" } as const
    const scheduled = { kind: "change", body: { status: "scheduled" } } as const
    const posts = [
      post("a", draft),
      post("b", { ...draft, scheduled_at: null }),
      post("c", { ...draft, scheduled_at: now.toISOString() }),
      post("d", waiting),
      post("e"),
      post("f", { status: "failed" })
    ]
    const { jobs, skipped } = plan(posts, schedule)
    assert.deepStrictEqual(jobs, [{ post: post("a", draft), request: scheduled }])
    assert.deepStrictEqual(
      skipped.map(({ post: { id }, why }) => [id, why]),
      [
        ["b", "These have no time. Set one first."],
        ["c", "The time of these has passed. Move them first."],
        ["d", "These wait for approval. Approve them to schedule them."],
        ["e", "Nothing to change."],
        ["f", "Failed posts can’t be changed. Open one to publish it again."]
      ]
    )
    const done = [{ before: post("a", draft), after: post("a") }]
    const undo = undoOf(schedule, { done })
    assert.deepStrictEqual(undo && plan([post("a")], undo).jobs, [
      { post: post("a"), request: { kind: "change", body: { status: "draft" } } }
    ])
    assert.isTrue(hasChange(post("a"), scheduled))
    const unscheduled = { kind: "change", body: { scheduled_at: null, status: "draft" } } as const
    assert.deepStrictEqual(
      [post("a", { ...draft, scheduled_at: null }), post("a", { scheduled_at: null }), post("a", draft)].map((each) =>
        hasChange(each, unscheduled)
      ),
      [true, false, false]
    )
  })

  it("Everything but what is going out is deleted, and only what is scheduled becomes a draft", () => {
    const posts = [
      post("a"),
      post("b", { status: "publishing", post_targets: [target("publishing")] }),
      post("c", { status: "published", post_targets: [target("published")] })
    ]
    const idsOf = (choice: ManyChoice) => plan(posts, choice).jobs.map(({ post: { id } }) => id)
    assert.deepStrictEqual(idsOf(remove), ["a", "c"])
    assert.deepStrictEqual(idsOf(unschedule), ["a"])
    assert.deepStrictEqual(
      manyActions.map(({ fits, label }) => [label, posts.filter((one) => fits(one, now)).length]),
      [
        ["Move", 1],
        ["Tags", 1],
        ["Schedule", 0],
        ["Approve", 0],
        ["Unschedule", 1],
        ["Delete", 2]
      ]
    )
  })

  it("What is out in part does not become a draft, and is moved and deleted", () => {
    const out = post("a", {
      post_targets: [target("published")]
    })
    const { jobs, skipped } = plan([out], unschedule)
    assert.deepStrictEqual(
      [jobs, skipped.map(({ why }) => why)],
      [[], ["These are out in part, so they can’t become drafts."]]
    )
    assert.lengthOf(plan([out], moveByDays(1)).jobs, 1)
    assert.lengthOf(plan([out], remove).jobs, 1)
  })
})

const jobsOf = (count: number) =>
  plan(
    Array.from({ length: count }, (_, index) => post(String(index))),
    remove
  ).jobs

interface Trial {
  readonly answers?: Readonly<Record<string, ReadonlyArray<SendOutcome>>>
  readonly stopAfter?: number
  /** After how many requests somebody else is logged in. */
  readonly ownFor?: number
}

/** Runs jobs against a service that answers at the next turn. */
const tryJobs = async (count: number, { answers = {}, ownFor = Infinity, stopAfter = Infinity }: Trial = {}) => {
  const stopper = new AbortController()
  const sent: Array<string> = []
  const waits: Array<number> = []
  let running = 0
  let most = 0
  const settled: Array<number> = []
  const results = await runJobs(jobsOf(count), {
    signal: stopper.signal,
    send: async ({ post: { id } }) => {
      const tries = sent.filter((other) => other === id).length
      sent.push(id)
      if (sent.length === stopAfter) stopper.abort()
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      return answers[id]?.[tries] ?? { ok: true, data: undefined }
    },
    untilTaken: async (seconds) => {
      waits.push(seconds)
      await Promise.resolve()
    },
    isOwn: () => sent.length < ownFor,
    onSettled: (so) => settled.push(so)
  })
  const countOf = (state: JobResult["state"]) => results.filter((result) => result.state === state).length
  return {
    most,
    sent,
    settled,
    waits,
    results,
    done: countOf("done"),
    refused: countOf("refused"),
    unsent: countOf("unsent")
  }
}

describe("Requests for many posts", () => {
  it("A few are under way at once, and each is sent once", async () => {
    const { done, most, results, sent, settled } = await tryJobs(30)
    assert.strictEqual(most, atOnce)
    assert.strictEqual(done, 30)
    assert.strictEqual(new Set(sent).size, 30)
    assert.strictEqual(sent.length, 30)
    assert.deepStrictEqual(
      settled,
      Array.from({ length: 30 }, (_, index) => index + 1)
    )
    assert.deepStrictEqual(
      results.map(({ job }) => job.post.id),
      Array.from({ length: 30 }, (_, index) => String(index))
    )
  })

  it("What is stopped is not sent, and is said to be unsent", async () => {
    const { done, sent, unsent } = await tryJobs(30, { stopAfter: 10 })
    assert.strictEqual(done, sent.length)
    assert.strictEqual(done + unsent, 30)
    assert.isAtMost(sent.length, 10 + atOnce)
  })

  it("Nothing is sent once somebody else is logged in, and what waited for the service is said to be unsent", async () => {
    const late = failure(429, "rate_limited")
    const { done, sent, unsent } = await tryJobs(30, { answers: { 3: [late] }, ownFor: atOnce })
    assert.deepStrictEqual([sent.length, done, unsent], [atOnce, atOnce - 1, 31 - atOnce])
  })

  it("A refusal stops nothing, and the end of the session or the connection stops what follows", async () => {
    const refused = await tryJobs(30, { answers: { 3: [failure(412, "revision_mismatch")] } })
    assert.deepStrictEqual([refused.done, refused.refused], [29, 1])
    const ended = await tryJobs(30, { answers: { 3: [failure(401, "unauthorized")] } })
    assert.isAtLeast(ended.unsent, 30 - 2 * atOnce)
    const offline = await tryJobs(30, { answers: { 3: [{ ok: false, error: { _tag: "ConnectionError" } }] } })
    assert.isAtLeast(offline.unsent, 30 - 2 * atOnce)
  })

  it("What is put off waits and is sent again, up to five times", async () => {
    const late = failure(429, "rate_limited")
    const once = await tryJobs(5, { answers: { 2: [late] } })
    assert.deepStrictEqual([once.done, once.waits], [5, [1]])
    const always = await tryJobs(5, { answers: { 2: [late, late, late, late, late] } })
    assert.deepStrictEqual([always.done, always.refused, always.waits.length], [4, 1, 4])
  })
})

describe("What is told of an action on many posts", () => {
  it("What was done before the rest was sent again counts, and is taken back with it", async () => {
    const first = await tryJobs(3, { answers: { 1: [{ ok: false, error: { _tag: "ConnectionError" } }] } })
    const before = summarize(first.results)
    assert.deepStrictEqual(
      before.again.map(({ post: { id } }) => id),
      ["1"]
    )
    const second = await tryJobs(1)
    const after = summarize(second.results, before.done)
    assert.deepStrictEqual(
      after.done.map((one) => one.before.id),
      ["0", "2", "0"]
    )
    const undo = undoOf(moveByDays(1), after)
    const posts = first.results.map(({ job }) => post(job.post.id, { scheduled_at: "2026-10-25T07:00:00.000Z" }))
    assert.deepStrictEqual(undo && plan(posts, undo).jobs.map((job) => job.post.id), ["0", "2"])
  })

  it("Lines say how many posts are drafts again", () => {
    assert.strictEqual(unschedule.done(nameCount(1)), "Unscheduled 1 post")
    assert.strictEqual(unschedule.done(nameCount(3)), "Unscheduled 3 posts")
  })

  it("It groups what was refused by its reason, and knows what may be sent again", async () => {
    const { results } = await tryJobs(6, {
      answers: {
        0: [failure(412, "revision_mismatch")],
        1: [failure(412, "revision_mismatch")],
        2: [failure(503, "unavailable")],
        3: [failure(400, "invalid_state")]
      }
    })
    const summary = summarize(results)
    assert.strictEqual(summary.done.length, 2)
    assert.deepStrictEqual(
      summary.left.map(({ posts }) => posts.length),
      [2, 1, 1]
    )
    assert.deepStrictEqual(
      summary.again.map(({ post: { id } }) => id),
      ["2"]
    )
  })

  it.each([
    [
      "moved",
      moveByDays(1),
      [
        "They already went out. Published posts stay as they are.",
        "Posts that are going out now can’t be changed.",
        "They already failed. Failed posts can’t be changed. Open one to publish it again.",
        "Somebody else changed them first. Look at each, then do it again."
      ]
    ],
    [
      "deleted",
      remove,
      [
        "They already went out. Look at each, then do it again.",
        "Posts that are going out now can’t be changed.",
        "They already failed. Look at each, then do it again.",
        "Somebody else changed them first. Look at each, then do it again."
      ]
    ]
  ] as const)(
    "Of what was to be %s and is not as it was it says what happened and what helps",
    (_, action, sentences) => {
      const statuses = ["published", "publishing", "failed", "scheduled"] as const
      const { jobs } = plan(
        statuses.map((status) => post(status)),
        action
      )
      const { changed, left } = summarize(
        jobs.map((job, index) => ({
          state: "refused",
          job,
          error: failure(412, "revision_mismatch").error,
          current: post(job.post.id, { status: statuses[index] ?? "draft", revision: 2 })
        }))
      )
      assert.deepStrictEqual<ReadonlyArray<string>>(
        left.map(({ why }) => why),
        sentences
      )
      assert.deepStrictEqual(
        changed.map(({ id, revision }) => [id, revision]),
        statuses.map((id) => [id, 2])
      )
    }
  )

  it("A post of another revision that is gone by now, or can't be read yet, ends as its reading did", () => {
    const conflict = failure(412, "revision_mismatch")
    const [job] = plan([post("a")], moveByDays(1)).jobs
    assert(job !== undefined)
    const unread = [
      failure(404, "not_found"),
      failure(429, "rate_limited"),
      failure(503, "unavailable"),
      { ok: false, error: { _tag: "ConnectionError" } }
    ] as const
    for (const found of unread) assert.deepStrictEqual(afterConflict(conflict, found), found)
    const summaries = unread.map(({ error }) => summarize([{ state: "refused", job, error }]))
    assert.deepStrictEqual(
      summaries.map(({ again, gone }) => [again.length, gone]),
      [
        [0, ["a"]],
        [1, []],
        [1, []],
        [1, []]
      ]
    )
  })

  it("A post of another revision is done only where the repetition of what may have arrived finds its change there", () => {
    const conflict = failure(412, "revision_mismatch")
    const [job] = plan([post("a")], addTag("mine")).jobs
    assert(job !== undefined)
    const tagged = post("a", { tags: ["mine"], revision: 2 })
    const other = post("a", { tags: ["theirs"], revision: 2 })
    const after = (data: PostJson, mayBeDone: boolean) => {
      const outcome = afterConflict(conflict, { ok: true, data })
      return mayBeDone ? afterRepetition(job.request, outcome) : outcome
    }
    assert.deepStrictEqual(after(tagged, true), { ok: true, data: tagged })
    assert.deepStrictEqual(after(tagged, false), { ...conflict, current: tagged })
    assert.deepStrictEqual(after(other, true), { ...conflict, current: other })
  })

  it("Who deletes what is gone already has what they wanted", async () => {
    const { results } = await tryJobs(1, { answers: { 0: [failure(404, "not_found")] } })
    assert.deepStrictEqual(summarize(results).left, [])
  })

  it("Only moves are taken back, to the times from before", () => {
    const before = post("a")
    const summary = { done: [{ before, after: before }], left: [], again: [], changed: [], gone: [] }
    const undo = undoOf(moveByDays(1), summary)
    assert.deepStrictEqual(undo && plan([post("a", { scheduled_at: null }), post("b")], undo), {
      jobs: [
        {
          post: post("a", { scheduled_at: null }),
          request: { kind: "change", body: { scheduled_at: before.scheduled_at } }
        }
      ],
      skipped: [{ post: post("b"), why: "Nothing to change." }]
    })
    assert.isUndefined(undoOf(remove, summary))
  })
})

describe("A selection of posts", () => {
  const posts = Array.from({ length: 300 }, (_, index) => post(String(index)))

  it("A range is selected in either direction, and never more than 200 posts", () => {
    const idsOf = (from: string | undefined, to: string) => between(posts, from, to).map(({ id }) => id)
    assert.deepStrictEqual(idsOf("2", "4"), ["2", "3", "4"])
    assert.deepStrictEqual(idsOf("4", "2"), ["2", "3", "4"])
    assert.deepStrictEqual(idsOf("gone", "4"), ["4"])
    assert.deepStrictEqual(idsOf("4", "gone"), [])
    const all = withPosts(noSelection, posts, "0")
    assert.strictEqual(all.posts.size, maxSelected)
    assert.strictEqual(withPosts(all, posts, "0").posts.size, maxSelected)
    assert.strictEqual(withoutPosts(all, new Set(["0", "1"])).posts.size, maxSelected - 2)
  })

  it("What the person changed is seen, and what others changed is not", () => {
    const one = withPosts(noSelection, [post("a")], "a")
    const later = post("a", { revision: 2 })
    assert.strictEqual(withNewer(one, [later], true).posts.get("a")?.seen, 2)
    assert.strictEqual(withNewer(one, [later], false).posts.get("a")?.seen, 1)
    assert.strictEqual(withNewer(one, [later], false).posts.get("a")?.post.revision, 2)
    assert.isFalse(withNewer(one, [post("b")], true).posts.has("b"))
  })
})
