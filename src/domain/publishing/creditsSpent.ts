/** A part of the message with which a platform's refusal for want of credits is stored. Posts are found by it. */
export const creditsSpent = "has no credits left or has reached its spending limit"
