// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "platforms/config/value_text.h"
#include "platforms/config_fixture.h"

using namespace switchyard;
using namespace switchyard::platforms;

namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

std::string error_of(const std::string& text) { return parse_integer(text).error; }

}  // namespace

BOOST_AUTO_TEST_SUITE(config_value)

BOOST_AUTO_TEST_CASE(integers_are_read_in_decimal_and_hex) {
  BOOST_TEST(parse_integer("0").value == 0u);
  BOOST_TEST(parse_integer("42").value == 42u);
  BOOST_TEST(parse_integer("0x2A").value == 42u);
  BOOST_TEST(parse_integer("0X2a").value == 42u);
  BOOST_TEST(parse_integer("0x002a").value == 42u);
}

BOOST_AUTO_TEST_CASE(integers_are_exact_to_64_bits) {
  BOOST_TEST(parse_integer("0xFFFFFFFFFFFFFFFF").value == kMax);
  BOOST_TEST(parse_integer("18446744073709551615").value == kMax);
  BOOST_TEST(parse_integer("9007199254740993").value == 9007199254740993u);
  BOOST_TEST(error_of("18446744073709551616") ==
             "18446744073709551616 does not fit into 64 bits; the largest number is 18446744073709551615");
  BOOST_TEST(error_of("0x10000000000000000") ==
             "0x10000000000000000 does not fit into 64 bits; the largest number is 18446744073709551615");
}

BOOST_AUTO_TEST_CASE(a_leading_zero_is_refused_with_the_two_readings) {
  BOOST_TEST(error_of("010") == "010 has two readings; write 10 (decimal) or 0x8 (if it is octal, 8)");
  BOOST_TEST(error_of("0777") == "0777 has two readings; write 777 (decimal) or 0x1ff (if it is octal, 511)");
}

BOOST_AUTO_TEST_CASE(a_leading_zero_with_one_reading_is_refused_too) {
  BOOST_TEST(error_of("089") == "089 has a leading zero; write 89");
  BOOST_TEST(error_of("00") == "00 has a leading zero; write 0");
}

BOOST_AUTO_TEST_CASE(negative_integers_are_refused) { BOOST_TEST(error_of("-1") == "must not be negative, found -1"); }

BOOST_AUTO_TEST_CASE(other_spellings_of_integers_are_refused) {
  BOOST_TEST(error_of("1e3") == "expected a whole number, found 1e3; write 1000");
  BOOST_TEST(error_of("1.0") == "expected a whole number, found 1.0; write 1");
  BOOST_TEST(error_of("1.5") == "expected a whole number such as 12 or 0x1f, found 1.5");
  for (const char* text : {"", " 1", "1 ", "+1", "0x", "0xg", "1_000", "0o17", "0b1", "1,000", "-", "-0x1", "true"})
    BOOST_TEST(!error_of(text).empty(), text);
}

BOOST_AUTO_TEST_CASE(numbers_are_rounded_correctly) {
  BOOST_TEST(parse_number("0.1").value == 0.1);
  BOOST_TEST(parse_number("-2.5e-3").value == -2.5e-3);
  BOOST_TEST(parse_number("1E6").value == 1e6);
  BOOST_TEST(parse_number("179769313486231570000").value == 179769313486231570000.0);
}

BOOST_AUTO_TEST_CASE(a_negative_zero_is_zero) { BOOST_TEST(!std::signbit(parse_number("-0.0").value)); }

BOOST_AUTO_TEST_CASE(what_is_no_number_is_refused) {
  BOOST_TEST(parse_number("abc").error == "expected a number such as 0.5, found abc");
  BOOST_TEST(parse_number("01.5").error == "01.5 has a leading zero; write 1.5");
  BOOST_TEST(parse_number("00").error == "00 has a leading zero; write 0");
  BOOST_TEST(parse_number("00.5").error == "00.5 has a leading zero; write 0.5");
  BOOST_TEST(parse_number("1e999").error == "1e999 is beyond the range of numbers");
  for (const char* text : {"", ".5", "5.", "+1", "nan", "inf", ".inf", "0x10", "1e", "1e+", "1.5.2", "1 "})
    BOOST_TEST(!parse_number(text).error.empty(), text);
}

BOOST_AUTO_TEST_CASE(sizes_are_read_in_all_units) {
  BOOST_TEST(parse_bytes("64 B").value.value == 64u);
  BOOST_TEST(parse_bytes("64 KiB").value.value == 65536u);
  BOOST_TEST(parse_bytes("64KiB").value.value == 65536u);
  BOOST_TEST(parse_bytes("2 MiB").value.value == 2u << 20);
  BOOST_TEST(parse_bytes("4 GiB").value.value == 4ull << 30);
  BOOST_TEST(parse_bytes("1 TiB").value.value == 1ull << 40);
  BOOST_TEST(parse_bytes("1 PiB").value.value == 1ull << 50);
  BOOST_TEST(parse_bytes("15 EiB").value.value == 15ull << 60);
  BOOST_TEST(parse_bytes("1.5 KiB").value.value == 1536u);
  BOOST_TEST(parse_bytes("0 B").value.value == 0u);
  BOOST_TEST(parse_bytes("18446744073709551615 B").value.value == kMax);
}

BOOST_AUTO_TEST_CASE(a_decimal_size_is_refused_with_the_two_readings) {
  BOOST_TEST(parse_bytes("64 KB").error == "64 KB has two readings; write 64 KiB (65536 B) or 64000 B");
  BOOST_TEST(parse_bytes("64 kB").error == "64 kB has two readings; write 64 KiB (65536 B) or 64000 B");
  BOOST_TEST(parse_bytes("64K").error == "64 K has two readings; write 64 KiB (65536 B) or 64000 B");
  BOOST_TEST(parse_bytes("1.5 MB").error == "1.5 MB has two readings; write 1.5 MiB (1572864 B) or 1500000 B");
  BOOST_TEST(parse_bytes("4 G").error == "4 G has two readings; write 4 GiB (4294967296 B) or 4000000000 B");
}

BOOST_AUTO_TEST_CASE(a_size_without_unit_is_refused) {
  BOOST_TEST(parse_bytes("64").error == "64 is a size without a unit; write 64 B, 64 KiB, 64 MiB or 64 GiB");
  BOOST_TEST(parse_bytes("0").error == "0 is a size without a unit; write 0 B, 0 KiB, 0 MiB or 0 GiB");
}

BOOST_AUTO_TEST_CASE(a_faulty_size_is_refused) {
  BOOST_TEST(parse_bytes("64 kib").error ==
             "unknown unit kib; did you mean KiB? allowed: B, KiB, MiB, GiB, TiB, PiB, EiB");
  BOOST_TEST(parse_bytes("64 ns").error == "unknown unit ns; allowed: B, KiB, MiB, GiB, TiB, PiB, EiB");
  BOOST_TEST(parse_bytes("0.3 KiB").error == "0.3 KiB is not a whole number of B");
  BOOST_TEST(parse_bytes("16 EiB").error ==
             "16 EiB does not fit into 64 bits; the largest size is 18446744073709551615 B");
  BOOST_TEST(parse_bytes("-1 KiB").error == "must not be negative, found -1 KiB");
  BOOST_TEST(parse_bytes("abc").error == "expected a size such as 64 KiB, found abc");
  BOOST_TEST(parse_bytes("").error == "expected a size such as 64 KiB, found ");
  BOOST_TEST(parse_bytes("0x40 B").error == "expected a decimal number and a unit, such as 64 KiB, found 0x40 B");
  BOOST_TEST(parse_bytes("1e3 B").error == "expected a decimal number and a unit, such as 64 KiB, found 1e3 B");
  BOOST_TEST(parse_bytes("064 KiB").error == "064 has a leading zero; write 64");
  BOOST_TEST(parse_bytes("9999999999999999999999999999999999999999 B").error.find("too many digits") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(times_are_read_in_all_units) {
  BOOST_TEST(parse_duration("3 ps").value.ps == 3u);
  BOOST_TEST(parse_duration("80 ns").value.ps == 80'000u);
  BOOST_TEST(parse_duration("0.5 us").value.ps == 500'000u);
  BOOST_TEST(parse_duration("4 ms").value.ps == 4'000'000'000u);
  BOOST_TEST(parse_duration("1 s").value.ps == 1'000'000'000'000u);
  BOOST_TEST(parse_duration("0 s").value.ps == 0u);
}

BOOST_AUTO_TEST_CASE(decimals_are_exact) {
  BOOST_TEST(parse_frequency("1.5 GHz").value.hz == 1'500'000'000u);
  BOOST_TEST(parse_frequency("1.1 GHz").value.hz == 1'100'000'000u);
  BOOST_TEST(parse_duration("0.000000000001 s").value.ps == 1u);
  BOOST_TEST(parse_duration("18446744.073709551615 s").value.ps == kMax);
  BOOST_TEST(parse_duration("1.10000000000000000000000000000 ns").value.ps == 1100u);
  BOOST_TEST(parse_duration("1.0005 ns").error == "1.0005 ns is not a whole number of ps");
}

BOOST_AUTO_TEST_CASE(a_faulty_time_is_refused) {
  BOOST_TEST(parse_duration("80").error == "80 is a time without a unit; write 80 ns, 80 us, 80 ms or 80 s");
  BOOST_TEST(parse_duration("3 cycles").error == "unknown unit cycles; allowed: ps, ns, us, ms, s");
  BOOST_TEST(parse_duration("3 NS").error == "unknown unit NS; did you mean ns? allowed: ps, ns, us, ms, s");
  BOOST_TEST(parse_duration("18446745 s").error ==
             "18446745 s does not fit into 64 bits; the largest time is 18446744073709551615 ps");
}

BOOST_AUTO_TEST_CASE(frequencies_are_read_in_all_units) {
  BOOST_TEST(parse_frequency("5 Hz").value.hz == 5u);
  BOOST_TEST(parse_frequency("5 kHz").value.hz == 5000u);
  BOOST_TEST(parse_frequency("5 MHz").value.hz == 5'000'000u);
  BOOST_TEST(parse_frequency("1.2 GHz").value.hz == 1'200'000'000u);
}

BOOST_AUTO_TEST_CASE(a_faulty_frequency_is_refused) {
  BOOST_TEST(parse_frequency("100").error ==
             "100 is a frequency without a unit; write 100 Hz, 100 kHz, 100 MHz or 100 GHz");
  BOOST_TEST(parse_frequency("3 Ghz").error == "unknown unit Ghz; did you mean GHz? allowed: Hz, kHz, MHz, GHz");
  BOOST_TEST(parse_frequency("0.5 Hz").error == "0.5 Hz is not a whole number of Hz");
}

BOOST_AUTO_TEST_CASE(a_latency_is_cycles_or_time) {
  BOOST_TEST((parse_latency("12 cycles").value == base::cycles(12)));
  BOOST_TEST((parse_latency("1 cycle").value == base::cycles(1)));
  BOOST_TEST((parse_latency("80 ns").value == base::nanoseconds(80)));
  BOOST_TEST((parse_latency("0.5 us").value == base::nanoseconds(500)));
}

BOOST_AUTO_TEST_CASE(a_faulty_latency_is_refused) {
  BOOST_TEST(parse_latency("12").error == "12 is a latency without a unit; write 12 cycles or 12 ns");
  BOOST_TEST(parse_latency("1.5 cycles").error == "expected a whole number such as 12 or 0x1f, found 1.5");
  BOOST_TEST(parse_latency("012 cycles").error ==
             "012 has two readings; write 12 (decimal) or 0xa (if it is octal, 10)");
  BOOST_TEST(parse_latency("12 cyles").error ==
             "unknown unit cyles; did you mean cycles? allowed: cycles, ps, ns, us, ms, s");
}

BOOST_AUTO_TEST_CASE(a_fraction_is_a_number_or_a_percentage) {
  BOOST_TEST(parse_fraction("0.005").value.value == 0.005);
  BOOST_TEST(parse_fraction("0.5 %").value.value == 0.005);
  BOOST_TEST(parse_fraction("0.5%").value.value == 0.005);
  BOOST_TEST(parse_fraction("0.7 %").value.value == 0.007);
  BOOST_TEST(parse_fraction("100 %").value.value == 1.0);
}

BOOST_AUTO_TEST_CASE(a_faulty_fraction_is_refused) {
  BOOST_TEST(parse_fraction("half").error == "expected a share such as 0.005 or 0.5 %, found half");
  BOOST_TEST(parse_fraction("1e1 %").error == "expected a percentage such as 0.5 %, found 1e1 %");
  BOOST_TEST(parse_fraction("%").error == "expected a percentage such as 0.5 %, found %");
}

BOOST_AUTO_TEST_CASE(canonical_texts_use_the_largest_fitting_unit) {
  BOOST_TEST(value_text(base::kib(64)) == "64 KiB");
  BOOST_TEST(value_text(base::Bytes{1536}) == "1536 B");
  BOOST_TEST(value_text(base::Bytes{0}) == "0 B");
  BOOST_TEST(value_text(base::gib(1)) == "1 GiB");
  BOOST_TEST(value_text(base::Frequency{1'200'000'000}) == "1.2 GHz");
  BOOST_TEST(value_text(base::Frequency{999}) == "999 Hz");
  BOOST_TEST(value_text(base::Duration{80'000}) == "80 ns");
  BOOST_TEST(value_text(base::Duration{1'234'567}) == "1234.567 ns");
  BOOST_TEST(value_text(base::Duration{1'050'000}) == "1.05 us");
  BOOST_TEST(value_text(base::Duration{0}) == "0 ps");
  BOOST_TEST(value_text(base::cycles(1)) == "1 cycle");
  BOOST_TEST(value_text(base::cycles(12)) == "12 cycles");
  BOOST_TEST(value_text(base::nanoseconds(80)) == "80 ns");
  BOOST_TEST(address_text(0x80000000) == "0x80000000");
}

BOOST_AUTO_TEST_CASE(canonical_texts_read_back_to_the_same_value) {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999}, std::uint64_t{1000}, std::uint64_t{1001},
        std::uint64_t{1} << 40, std::uint64_t{1234567890123456789}, kMax}) {
    BOOST_TEST(parse_integer(value_text(n)).value == n);
    BOOST_TEST(parse_integer(address_text(n)).value == n);
    BOOST_TEST(parse_bytes(value_text(base::Bytes{n})).value.value == n);
    BOOST_TEST(parse_frequency(value_text(base::Frequency{n})).value.hz == n);
    BOOST_TEST(parse_duration(value_text(base::Duration{n})).value.ps == n);
    BOOST_TEST((parse_latency(value_text(base::cycles(n))).value == base::cycles(n)));
  }
  for (const double d : {0.1, 1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.125, 100.0, 1e22}) {
    BOOST_TEST(parse_number(value_text(d)).value == d);
    BOOST_TEST(parse_fraction(value_text(base::Fraction{d})).value.value == d);
  }
}

BOOST_AUTO_TEST_CASE(bounds_are_compared_as_integers) {
  BOOST_TEST(within(kMax, {}));
  BOOST_TEST(within(9007199254740993u, {0, 9007199254740992.0}) == false);
  BOOST_TEST(within(1, {0.5, 1.5}));
  BOOST_TEST(within(2, {0.5, 1.5}) == false);
}

BOOST_AUTO_TEST_SUITE_END()
