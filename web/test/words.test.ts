import assert from "node:assert/strict";
import { test } from "node:test";

import type { Verdict } from "../src/verdict/judge";
import { answer, lines, shown } from "../src/verdict/words";

/** What to expect of models by name; the interval is wide. */
const values = (expected: Record<string, number>): Verdict["models"] =>
  Object.entries(expected).map(([name, value]) => ({
    name,
    threshold: 0.5,
    here: value + 0.02,
    expected: value,
    interval: [value - 0.1, value + 0.1],
  }));

/** A verdict with round numbers: forest, told apart from logit. */
const VERDICT: Verdict = {
  objective: { beta: 1, costs: null, constraint: null },
  model: "forest",
  threshold: 0.40625,
  thresholdText: "0.406",
  value: 0.68,
  expected: 0.66,
  interval: [0.59, 0.72],
  level: 0.95,
  kept: [],
  wins: [
    ["logit", 0],
    ["forest", 1],
  ],
  runnerUp: "logit",
  lead: 0.1,
  leadInterval: [NaN, NaN],
  together: ["forest"],
  barelyToldApart: false,
  thresholdRange: [0.25, 0.5],
  plateau: [0.375, 0.4375],
  doingNothing: [
    ["flagging everything", 0.5],
    ["flagging nothing", NaN],
    ["flagging at random", 0.4],
  ],
  better: true,
  barelyBetter: false,
  betaRange: [NaN, NaN],
  betasTried: [0.1, 9],
  warnings: [],
  method: "How it was found.",
  replicates: 2000,
  models: values({ logit: 0.56, forest: 0.66 }),
};
const said = (changes: Partial<Verdict>): string => answer({ ...VERDICT, ...changes });
const told = (changes: Partial<Verdict>): string => lines({ ...VERDICT, ...changes }).join("\n");

const USE = "Use forest and flag scores of 0.406 or more.";
const EXPECT = "Expect F1 0.66 on new data (95%: 0.59 to 0.72; 0.68 on these rows).";
const PAIR: Partial<Verdict> = {
  together: ["logit", "forest"],
  wins: [
    ["logit", 0.3],
    ["forest", 0.7],
  ],
};
const KEPT = {
  constraint: "precision of 0.8 or more",
  isLimit: false,
  here: 0.82,
  expected: 0.79,
  interval: [0.7, 0.88] as const,
  missed: 0.55,
};
const CONSTRAINED: Partial<Verdict> = {
  kept: [KEPT],
  objective: { beta: Infinity, costs: null, constraint: { quantity: "precision", level: 0.8 } },
};
const NO_RIVAL: Partial<Verdict> = {
  ...CONSTRAINED,
  models: [
    ...values({ forest: 0.66 }),
    { ...values({ logit: NaN })[0]!, here: NaN, interval: [NaN, NaN] },
  ],
};

test("what is told apart wins, and the others are named", () => {
  assert.equal(said({}), `${USE} ${EXPECT} forest beats logit in all 2,000 resamples.`);
  const nearly = { wins: [["forest", 1 - 1e-4] as const, ["logit", 1e-4] as const] };
  assert.equal(
    said({ ...nearly, barelyToldApart: true }),
    `${USE} ${EXPECT} forest barely beats logit in 1,999 of 2,000 resamples.`,
  );
  const cannot = "tell forest (0.66) and logit (0.56) apart";
  const used = "forest is used by default.";
  assert.equal(said(PAIR), `${USE} ${EXPECT} These rows cannot ${cannot}; ${used}`);
  assert.equal(
    said({ ...PAIR, barelyToldApart: true }),
    `${USE} ${EXPECT} These rows barely fail to ${cannot}; ${used}`,
  );
  const often = { wins: [["forest", 0.96] as const, ["logit", 0.04] as const] };
  assert.equal(
    said({ ...PAIR, ...often }),
    `${USE} ${EXPECT} These rows cannot ${cannot}, although forest wins in 1,920 of 2,000 ` +
      `resamples; ${used}`,
  );
});

test("a model without a threshold has no value, and no lead is over it", () => {
  const keeps = "No other model has a threshold that keeps this on these rows";
  assert.ok(said(NO_RIVAL).endsWith(`${keeps}; forest wins in all 2,000 resamples.`));
  const leadInterval = [-0.1, 0.1] as const;
  const words = told({ ...NO_RIVAL, ...PAIR, leadInterval });
  assert.ok(words.includes(`${keeps}; in resamples logit may do as well.`));
  assert.ok(!words.includes("The lead of"));
  assert.match(told({ ...PAIR, leadInterval }), /The lead of forest over logit is between −0.100/);
  assert.ok(!told({ ...PAIR, leadInterval: [-0.4, 1.2] }).includes("The lead of"));
});

test("what is not better than a trivial rule is not recommended", () => {
  const useless: Partial<Verdict> = {
    better: false,
    interval: [0.45, 0.72],
    models: values({ logit: 0.56, forest: 0.56 }),
  };
  const none = "No model is better than flagging everything, beyond chance; the choice would be ";
  const forest = "forest, at scores of 0.406 or more";
  assert.ok(said(useless).startsWith(`${none}${forest}. Expect`));
  assert.ok(
    said({ ...useless, barelyBetter: true }).startsWith(`${none}${forest}, which barely fails.`),
  );
  const better = values({ logit: 0.61, forest: 0.56 });
  assert.ok(
    said({ ...useless, models: better }).startsWith(
      `${forest}, would be the choice, but is not better than flagging everything, beyond chance.`,
    ),
  );
  assert.ok(
    said({ ...useless, wins: [["forest", 1]], barelyBetter: true }).startsWith(
      "This model barely fails to be better than flagging everything, beyond chance.",
    ),
  );
});

test("the choice is better than that which its interval leaves behind", () => {
  const better = "The choice is better than that beyond chance.";
  assert.ok(told({}).includes(`at random 0.40. ${better}`));
  assert.ok(told({ barelyBetter: true }).includes("The choice is barely better than that"));
  const doingNothing: Verdict["doingNothing"] = [
    ["flagging nothing", 0],
    ["flagging at random", 0.6],
  ];
  assert.ok(told({ doingNothing }).includes("better than flagging nothing beyond"));
  const near: Verdict["doingNothing"] = [["all", 0.5896]];
  assert.ok(
    told({ interval: [0.5904, 0.72], doingNothing: near }).includes(
      "Doing nothing achieves: all 0.5896.",
    ),
  );
});

test("other weights are told of a model that is told apart and of use", () => {
  const betaRange = [0.1, 9] as const;
  assert.ok(told({ betaRange }).includes("forest wins 95% of the resamples for every β."));
  for (const changes of [PAIR, { better: false }])
    assert.ok(!told({ betaRange, ...changes }).includes("wins 95%"));
});

test("thresholds and constraints say which ones they are", () => {
  assert.ok(
    told({}).includes(
      "The threshold is the median of those that were best in resamples; 95% of them lay between " +
        "0.25 and 0.5. Thresholds from 0.375 to 0.4375 reach 99% of the value on these rows.",
    ),
  );
  const words = told({ ...CONSTRAINED, kept: [{ ...KEPT, expected: 0.7962, missed: 1e-9 }] });
  assert.ok(
    words.includes(
      "expect 0.796 on new data (95%: 0.700 to 0.880; 0.820 on these rows); the chance to miss " +
        "it is below 0.1%.",
    ),
  );
  assert.ok(
    words.includes(
      "Of the thresholds that lose at most 1% of the highest value, this one keeps what was asked " +
        "for most safely; of those that were best in resamples, 95% lay between 0.25 and 0.5.",
    ),
  );
});

test("numbers do not claim certainty", () => {
  assert.equal(shown(0.9996), "0.9996");
  assert.ok(said({ expected: NaN, value: NaN }).includes("F1 has no value on these rows."));
  assert.ok(said({ expected: NaN, interval: [NaN, NaN] }).includes("F1 is 0.68 on these rows."));
});
