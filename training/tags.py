"""Every tag of TensorBoard with its description.

TensorBoard sorts the groups, which are the parts before the slash, by name and opens the first.
Hence the numbers: strength comes first. A star stands for any text.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

STRENGTH, LEARNING, PLAY, SPEED, MEMORY = (
    "1_strength",
    "2_learning",
    "3_play",
    "4_speed",
    "5_memory",
)
BY_NODES = "_by_nodes"  # ends the name of a group whose axis is the nodes touched

TAGS = {
    "1_strength/exploitability_mbb": (
        "Exploitability of the average strategy's network, exact, mbb per hand. Step 0 is uniform "
        "play."
    ),
    "1_strength/exploitability_of_memory_mbb": (
        "Exact exploitability of the strategy memory's own averages, before any network is fitted "
        "to them (kuhn, leduc), mbb per hand."
    ),
    "1_strength/exploitability_estimate_mbb": (
        "Exploitability estimated from a sample of flops, always the same ones (fhp). It is too "
        "high on average. Step 0 is uniform play."
    ),
    "1_strength/lbr_mbb": (
        "What a local best response wins from the average strategy, mbb per hand: a lower bound on "
        "exploitability, exact on the last street. In training it is on the same boards at every "
        "step. Step 0 is uniform play."
    ),
    "1_strength/lbr_checkdown_mbb": (
        "The same in evaluate.py's simpler form, which assumes that both players check and call on "
        "the last street as well."
    ),
    "1_strength/exploiter_mbb": (
        "What a trained exploiter wins from the average strategy, mbb per hand: a lower bound on "
        "exploitability."
    ),
    "1_strength/won_from_*_mbb": (
        "What the average strategy wins from this bot, mbb per hand, on the same deals at every "
        "step. Step 0 is uniform play."
    ),
    "1_strength/unbeatable_folded_*": (
        "How often the average strategy's network folds a hand that cannot lose, between 0 and 1: "
        "at random decisions that face a bet, or at those that its own play reaches. Saved models "
        "are loaded with a rule that prevents it."
    ),
    "1_strength/tournament_*_mbb": (
        "What this run's model of that iteration wins from all others in a tournament, mbb per "
        "hand."
    ),
    "1_strength_against/*_mbb": "What this run's model wins from one other agent in a tournament.",
    "1_strength_by_nodes/*": "The figure of the group 1_strength, with nodes touched as the axis.",
    "1_strength_by_seat/*_mbb": "What the responder wins in this seat, mbb per hand.",
    "1_strength_by_street/*_mbb": (
        "What the local best response wins by its decisions on this street, mbb per hand: a part "
        "of the bound in 1_strength, to which the streets add up."
    ),
    "1_strength_intervals/*": (
        "Half the width of the 95 % interval of the figure of this name in 1_strength or "
        "1_strength_by_street, mbb per hand. Differences between steps are less noisy than that "
        "where cards are the same."
    ),
    "2_learning/distance_unseen_*": (
        "How far the average strategy on this street is from solved subgames that it was not "
        "learned from: squared distance of the action probabilities, weighted by reach."
    ),
    "2_learning/distance_seen_*": (
        "The same for the subgames that it was learned from. More subgames help until the two meet."
    ),
    "2_learning/loss_p*": (
        "Weighted mean squared error of this player's advantage network at the end of its fit, in "
        "squared big blinds."
    ),
    "2_learning/loss_average_strategy": (
        "Weighted mean squared error of the average-strategy network at the end of its fit."
    ),
    "2_learning/validation_loss_p*": "The best loss on rows held out, with --validation-fraction.",
    "2_learning/value_mbb": (
        "Mean sampled value of the game for player 0 under the current strategies, mbb per hand."
    ),
    "2_learning/advantages_p*": "Advantages that this player's memory holds, big blinds.",
    "2_learning_by_nodes/*": "The figure of the group 2_learning, with nodes touched as the axis.",
    "2_learning_in_fits/p*": (
        "Loss during the advantage fits of a player, against updates since the run began."
    ),
    "2_learning_in_fits/validation_p*": "The same on rows held out.",
    "2_learning_in_fits/average_strategy_t_*": "Loss during the fit of this iteration's model.",
    "2_learning_in_fits/validation_average_strategy_t_*": "The same on rows held out.",
    "3_play/*_fold": "How often the current strategies fold on this street.",
    "3_play/*_call": "How often the current strategies call or check on this street.",
    "3_play/*_raise": "How often the current strategies raise or bet on this street.",
    "3_play/chart_*": "The average strategy before the flop, as a 13 × 13 chart.",
    "4_speed/infosets_per_s": "Infosets that the traversals visit per second.",
    "4_speed/nodes_touched": "Situations that all traversals so far have visited.",
    "4_speed/seconds_traversing": "Time of the iteration's traversals.",
    "4_speed/workers": "Workers that make the traversals, besides the process that learns.",
    "4_speed/chunks_per_s": "Chunks of traversals that came back from workers, per second.",
    "4_speed/chunks_repeated": (
        "Chunks that were made again, because a worker died, took too long or sent nonsense."
    ),
    "4_speed/seconds_waiting": (
        "Time of the iteration in which the process that learns had to wait for workers."
    ),
    "4_speed/megabytes_moved": (
        "Networks, tables and samples sent to workers and back in the iteration, in MB. What goes "
        "through Ray's object store counts once."
    ),
    "4_speed/seconds_fitting": "Time of the iteration's fits.",
    "5_memory/fill_*": "How full the memory is: 1 when every further sample replaces another.",
    "5_memory/seen_*": "How many samples the memory has seen.",
}


def street_tag(name: str, street: str) -> str:
    """What a figure by street is called in its group, such as `lbr_river_mbb`."""
    return f"{name}_{street.replace(' ', '_')}_mbb"


def about(tag: str) -> str:
    """The description of a tag; a `KeyError` for one that the table does not know.

    Where several patterns fit, the longest says most.
    """
    fitting = [pattern for pattern in TAGS if fnmatchcase(tag, pattern)]
    if not fitting:
        raise KeyError(f"{tag} is not in training.tags.TAGS")
    return TAGS[max(fitting, key=len)]
