import assert from "node:assert/strict";
import { test } from "node:test";
import { random, seed } from "../../test/random.ts";
import type { SearchQuery, Term } from "./query.ts";
import { type Buckets, bucketsOf, compareRanked, Occurrences, placeGap, rankOf } from "./rank.ts";

/** The buckets of matches. Contract §25, Order. */

type Occurrence = { term: number; typos: number; isWhole: boolean; weight: number; place: number };

const queryOf = (sizes: readonly number[]): SearchQuery => ({
  terms: sizes.map((size) => ({
    text: "",
    word: undefined,
    size,
    wholes: [],
    stems: new Map(),
    isBeginning: false,
    mostTypos: 0,
  })),
  without: [],
  isAll: false,
});

function rankIn(occurrences: Occurrences, query: SearchQuery, list: readonly Occurrence[]): number {
  occurrences.clear();
  for (const { term, typos, isWhole, weight, place } of list) occurrences.add(term, typos, isWhole, weight, place);
  return rankOf(query, occurrences);
}

/** The buckets word for word as the contract has them. */
function plainBuckets(query: SearchQuery, list: readonly Occurrence[]): Buckets {
  const best = query.terms.map((_, i) => {
    const own = list.filter(({ term }) => term === i);
    return own.filter(({ typos }) => typos === Math.min(...own.map((other) => other.typos)));
  });
  const there = best.flatMap((own, i) => (own.length > 0 ? [{ own, size: (query.terms[i] as Term).size }] : []));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const distances = best.slice(1).map((next, i) => {
    const shift = (query.terms[i] as Term).size - 1;
    const all = (best[i] as Occurrence[]).flatMap((one) => next.map((two) => two.place - one.place - shift));
    return Math.min(8, ...all.map((distance) => (distance > 0 ? distance : 1 - distance)));
  });
  return {
    words: sum(there.map(({ size }) => size)),
    typos: sum(there.map(({ own }) => own[0]?.typos ?? 0)),
    weight: there.length > 0 ? Math.min(...there.map(({ own }) => Math.max(...own.map(({ weight }) => weight)))) : 0,
    nearness: sum(distances),
    whole: sum(there.filter(({ own }) => own.some(({ isWhole }) => isWhole)).map(({ size }) => size)),
  };
}

test("the rank of any occurrences has the buckets of the contract, in any order of theirs", () => {
  const pick = random(seed);
  const occurrences = new Occurrences();
  for (let round = 0; round < 3000; round++) {
    const query = queryOf(Array.from({ length: 1 + pick(5) }, () => 1 + pick(3)));
    const list = Array.from({ length: pick(pick(10) === 0 ? 300 : 12) }, (): Occurrence => {
      const typos = pick(3);
      const place = pick(3) * 1000 * placeGap + pick(30);
      return {
        term: pick(query.terms.length),
        typos,
        isWhole: typos === 0 && pick(2) === 0,
        weight: 1 + pick(10),
        place,
      };
    });
    assert.deepEqual(bucketsOf(rankIn(occurrences, query, list)), plainBuckets(query, list));
  }
});

test("a lower rank is a better one: by the first bucket that differs", () => {
  const pick = random(seed);
  const occurrences = new Occurrences();
  const query = queryOf([1, 1, 1]);
  const draw = () =>
    Array.from({ length: 1 + pick(5) }, (): Occurrence => {
      const typos = pick(2);
      return { term: pick(3), typos, isWhole: typos === 0 && pick(2) === 0, weight: 1 + pick(4), place: pick(12) };
    });
  const keyOf = ({ words, typos, weight, nearness, whole }: Buckets) => [-words, typos, -weight, nearness, -whole];
  for (let round = 0; round < 3000; round++) {
    const [one, other] = [draw(), draw()];
    const [a, b] = [one, other].map((list) => rankIn(occurrences, query, list)) as [number, number];
    const [first, second] = [one, other].map((list) => keyOf(plainBuckets(query, list))) as [number[], number[]];
    const at = first.findIndex((value, i) => value !== second[i]);
    assert.equal(Math.sign(a - b), at < 0 ? 0 : Math.sign((first[at] as number) - (second[at] as number)));
  }
});

test("the greatest query has buckets, too", () => {
  const query = queryOf(Array.from({ length: 16 }, () => 1));
  const far = query.terms.map((_, term) => ({ term, typos: 2, isWhole: false, weight: 10, place: term * placeGap }));
  const near = query.terms.map((_, term) => ({ term, typos: 0, isWhole: true, weight: 1, place: 2 ** 52 + term }));
  const buckets = [far, near].map((list) => bucketsOf(rankIn(new Occurrences(), query, list)));
  assert.deepEqual(buckets, [
    { words: 16, typos: 32, weight: 10, nearness: 120, whole: 0 },
    { words: 16, typos: 0, weight: 1, nearness: 15, whole: 16 },
  ]);
  const rank = rankIn(new Occurrences(), queryOf([]), []);
  assert.deepEqual(bucketsOf(rank), { words: 0, typos: 0, weight: 0, nearness: 0, whole: 0 });
});

const nearnesses: [places: number[][], nearness: number][] = [
  [[[0], [1]], 1],
  [[[1], [0]], 2],
  [[[0], [0]], 1],
  [[[0], [7]], 7],
  [[[0], [30]], 8],
  [[[8], [0]], 8],
  [[[0], []], 8],
  [[[0], [1], [2]], 2],
  [[[0, 40], [30, 41], [44]], 4],
  [[[3]], 0],
];
for (const [places, nearness] of nearnesses) {
  test(`words at ${JSON.stringify(places)} are as near as ${nearness}`, () => {
    const list = places.flatMap((own, term) =>
      own.map((place) => ({ term, typos: 0, isWhole: true, weight: 1, place })),
    );
    const rank = rankIn(new Occurrences(), queryOf(places.map(() => 1)), list);
    assert.equal(bucketsOf(rank).nearness, nearness);
  });
}

test("of equal ranks the newest is first, then the first id by its bytes", () => {
  const found = [
    { rank: 1, at: 9, id: "a" },
    { rank: 0, at: 1, id: "\ue000" },
    { rank: 0, at: 2, id: "b" },
    { rank: 0, at: 1, id: "😀" },
    { rank: 0, at: 1, id: "a" },
  ];
  assert.deepEqual(
    found.sort(compareRanked).map(({ id }) => id),
    ["b", "a", "\ue000", "😀", "a"],
  );
});
