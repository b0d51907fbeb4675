// The communicator: messages arrive whole and in order, and ranks agree on errors.
#include "core/comm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/error.hpp"
#include "tests/support/devices.hpp"

namespace trestle {
namespace {

const Comm& world() { return test::world(); }

/// What rank `from` sends to rank `to`: from + 2 to entries (none to rank 0 from rank 0), all
/// distinct.
std::vector<std::int64_t> message(int from, int to) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(from + 2 * to));
  std::iota(values.begin(), values.end(), 1000 * from + 100000 * to);
  return values;
}

TEST(Comm, ExchangeDeliversTheMessageOfEveryPairUnchanged) {
  std::vector<std::vector<std::int64_t>> to;
  for (int r = 0; r < world().size(); ++r) to.push_back(message(world().rank(), r));
  const auto from = world().exchange(to);
  ASSERT_EQ(from.size(), to.size());
  for (int r = 0; r < world().size(); ++r)
    EXPECT_EQ(from[static_cast<std::size_t>(r)], message(r, world().rank())) << "from rank " << r;
}

TEST(Comm, ExchangeCarriesStructsWhoseSizeIsNoPowerOfTwo) {
  struct Pair {
    std::int64_t id;
    std::int32_t rank;
    std::array<char, 12> text;
  };
  std::vector<std::vector<Pair>> to(static_cast<std::size_t>(world().size()));
  for (std::size_t r = 0; r < to.size(); ++r)
    to[r].assign(3, Pair{static_cast<std::int64_t>(r) << 40, world().rank(), {"abc"}});
  const auto from = world().exchange(to);
  for (int r = 0; r < world().size(); ++r) {
    const auto& part = from[static_cast<std::size_t>(r)];
    ASSERT_EQ(part.size(), 3U);
    EXPECT_EQ(part[2].id, static_cast<std::int64_t>(world().rank()) << 40);
    EXPECT_EQ(part[2].rank, r);
    EXPECT_STREQ(part[2].text.data(), "abc");
  }
}

TEST(Comm, ExchangeOfNothingComesBackEmpty) {
  const std::vector<std::vector<double>> to(static_cast<std::size_t>(world().size()));
  for (const auto& part : world().exchange(to)) EXPECT_TRUE(part.empty());
}

TEST(Comm, AllGatherPutsTheValuesInTheOrderOfRanks) {
  const std::vector<int> mine(static_cast<std::size_t>(world().rank()), world().rank());
  std::vector<int> expected;
  for (int r = 0; r < world().size(); ++r)
    expected.insert(expected.end(), static_cast<std::size_t>(r), r);
  EXPECT_EQ(world().all_gather(std::span<const int>(mine)), expected);
}

TEST(Comm, AllGatherOfOneValueHasAnEntryForEachRank) {
  const std::vector<double> all = world().all_gather(0.5 + world().rank());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(world().size()));
  for (int r = 0; r < world().size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 0.5 + r);
}

TEST(Comm, GatherBringsEveryPartToRankZeroAndNothingElsewhere) {
  const std::vector<int> mine(static_cast<std::size_t>(world().rank() + 1), world().rank());
  const auto parts = world().gather(std::span<const int>(mine));
  ASSERT_EQ(parts.size(), world().is_root() ? static_cast<std::size_t>(world().size()) : 0U);
  for (std::size_t r = 0; r < parts.size(); ++r)
    EXPECT_EQ(parts[r], std::vector<int>(r + 1, static_cast<int>(r)));
}

TEST(Comm, GatherKeepsTextsApartEmptyOnesToo) {
  const auto texts =
      world().gather(world().rank() % 2 == 0 ? "rank " + std::to_string(world().rank()) : "");
  for (std::size_t r = 0; r < texts.size(); ++r)
    EXPECT_EQ(texts[r], r % 2 == 0 ? "rank " + std::to_string(r) : "");
}

TEST(Comm, BroadcastGivesRankZerosValuesWhateverTheOthersHad) {
  std::vector<float> values(static_cast<std::size_t>(world().rank()) * 7, -1.0F);
  if (world().is_root()) values = {1.5F, -2.5F, 3.25F};
  EXPECT_EQ(world().broadcast(values), (std::vector<float>{1.5F, -2.5F, 3.25F}));
  EXPECT_EQ(world().broadcast(world().is_root() ? std::string("a\0b", 3) : std::string("other")),
            std::string("a\0b", 3));
}

TEST(Comm, BroadcastsAndGathersAMegabyteUnchanged) {
  std::vector<std::int32_t> values(1 << 18);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(world().broadcast(world().is_root() ? values : std::vector<std::int32_t>{}), values);
  const auto share = share_of(1 << 18, world().rank(), world().size());
  EXPECT_EQ(world().all_gather(std::span<const std::int32_t>(values).subspan(
                static_cast<std::size_t>(share.first), static_cast<std::size_t>(share.count()))),
            values);
}

TEST(Comm, SumMaximumAndMinimumTakeEveryRankOnce) {
  const int n = world().size(), me = world().rank();
  EXPECT_EQ(world().sum(me + 1), n * (n + 1) / 2);
  EXPECT_EQ(world().max(-me), 0);
  EXPECT_EQ(world().min(10.0 - me), 11.0 - n);
  std::array<GlobalIndex, 3> values{me, 1, GlobalIndex{1} << 40};
  world().sum(std::span<GlobalIndex>(values));
  EXPECT_EQ(values, (std::array<GlobalIndex, 3>{n * (n - 1) / 2, n, n * (GlobalIndex{1} << 40)}));
}

TEST(Comm, AnyNeedsOneRankAndAllNeedsEveryRank) {
  const bool last = world().rank() == world().size() - 1;
  EXPECT_TRUE(world().any(last));
  EXPECT_FALSE(world().any(false));
  EXPECT_TRUE(world().all(true));
  EXPECT_FALSE(world().all(!last));
}

TEST(Comm, ExclusiveSumCountsTheRanksBefore) {
  EXPECT_EQ(world().exclusive_sum(10 + world().rank()),
            10 * world().rank() + world().rank() * (world().rank() - 1) / 2);
}

TEST(Comm, ADuplicateDoesNotHearTheMessagesOfItsParent) {
  const Comm copy(world().handle());
  EXPECT_EQ(copy.size(), world().size());
  EXPECT_EQ(copy.rank(), world().rank());
  int same = MPI_IDENT;
  MPI_Comm_compare(copy.handle(), world().handle(), &same);
  EXPECT_EQ(same, MPI_CONGRUENT);
}

TEST(Agree, LetsEveryRankGoOnWhenNoneFailed) {
  int ran = 0;
  EXPECT_NO_THROW(world().agree([&] { ++ran; }));
  EXPECT_EQ(ran, 1);
}

TEST(Agree, ThrowsTheErrorOfTheLowestFailingRankOnAllRanks) {
  const int first = world().size() / 2;
  try {
    world().agree([&] {
      if (world().rank() >= first)
        throw MeshError("node 17 is missing on rank " + std::to_string(world().rank()));
    });
    FAIL() << "one rank failed and this one went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::mesh);
    EXPECT_EQ(error.what(), "node 17 is missing on rank " + std::to_string(first));
  }
}

TEST(Agree, CallsAForeignExceptionABugAndLackOfMemoryByItsName) {
  try {
    world().agree([] { throw std::out_of_range("vector::at"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bug);
    EXPECT_STREQ(error.what(), "vector::at");
  }
  try {
    world().agree([] { throw std::bad_alloc(); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::system);
    EXPECT_NE(std::string(error.what()).find("out of memory on rank 0"), std::string::npos);
  }
}

TEST(CheckMpi, NamesTheCallAndMeansALostPeer) {
  EXPECT_NO_THROW(check_mpi(MPI_SUCCESS, "MPI_Send"));
  try {
    check_mpi(MPI_ERR_TRUNCATE, "MPI_Recv");
    FAIL() << "an MPI error passed unseen";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.code(), ExitCode::peer_lost);
    EXPECT_TRUE(std::string(error.what()).starts_with("MPI_Recv failed: ")) << error.what();
  }
}

TEST(ShareOf, CoversEverythingOnceInOrderAndEvenly) {
  for (const GlobalIndex n : {0, 1, 5, 8, 1000003})
    for (const int size : {1, 2, 4, 7}) {
      GlobalIndex at = 0;
      for (int r = 0; r < size; ++r) {
        const Share share = share_of(n, r, size);
        EXPECT_EQ(share.first, at);
        EXPECT_LE(share.count() - n / size, 1);
        EXPECT_GE(share.count(), n / size);
        at = share.last;
      }
      EXPECT_EQ(at, n);
    }
}

TEST(ShareOwner, IsTheRankWhoseShareHoldsTheThing) {
  for (const GlobalIndex n : {1, 3, 5, 8, 41})
    for (const int size : {1, 2, 4, 7})
      for (GlobalIndex i = 0; i < n; ++i) {
        const Share share = share_of(n, share_owner(n, size, i), size);
        EXPECT_TRUE(share.first <= i && i < share.last) << i << " of " << n << " on " << size;
      }
}

}  // namespace
}  // namespace trestle
