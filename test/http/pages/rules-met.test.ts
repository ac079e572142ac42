import { describe, expect, it } from 'vitest';
import { neutralBranding } from '../../../src/core/members/branding.ts';
import { pageStyle } from '../../../src/http/pages/assets.ts';
import { rulesMet } from '../../../src/http/pages/rules-met.ts';

const parts = { elements: new Set(['main', 'a', 'input']), classes: new Set(['bar', 'tag']) };

describe('pages 2: of a sheet a page has the rules that it can meet', () => {
  it.each([
    ['main{a:b}', 'main{a:b}'],
    ['table{a:b}', ''],
    [':root{--a:b}*{c:d}', ':root{--a:b}*{c:d}'],
    // Of a list what is met, alone.
    ['table,.bar a,.side a{a:b}', '.bar a{a:b}'],
    ['.bar>table{a:b}.bar>a:hover::after{c:d}', '.bar>a:hover::after{c:d}'],
    ['input[aria-invalid]{a:b}', 'input[aria-invalid]{a:b}'],
    ['main:has(.bar) a{a:b}main:has(.side) a{c:d}', 'main:has(.bar) a{a:b}'],
    // What comes with the data is known by what it stands beside.
    ['.tag.good{a:b}.good{c:d}', '.tag.good{a:b}'],
    ['@media print{@supports selector(:x){table{a:b}}}', ''],
    ['@media (min-width:60rem){table{a:b}}@media print{.bar{a:b}.x{c:d}}', '@media print{.bar{a:b}}'],
  ])('%s is %s', (sheet, expected) => {
    expect(rulesMet(sheet, parts)).toBe(expected);
  });

  it('also what its script adds, and not what stands on other pages alone', () => {
    const of = (template: string) => pageStyle(template, neutralBranding).text;
    expect(of('members/sign-in-page.eta')).toContain('.show{');
    expect(of('members/sign-in-page.eta')).not.toContain('.parties');
    expect(of('members/checkout/plans.eta')).not.toContain('.code{');
    // How a plan stands comes with the data.
    expect(of('members/account/overview.eta')).toContain('.tag.good{');
  });
});
